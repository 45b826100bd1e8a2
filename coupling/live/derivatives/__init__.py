"""The derivatives of a session: Jacobians of loops and of whole systems, equations of implicit steps, and sensitivities."""
