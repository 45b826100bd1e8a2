"""Mechanics in space.

Bodies give the motion of their points, joints and forces act on them. Joints turn about, or slide along, the axis z of their ports. A port's
place and frame on a body are parameters: its point `p1.rx p1.ry p1.rz`, the direction `p1.zx p1.zy p1.zz` of its axis z, and a direction
`p1.xx p1.xy p1.xz` towards which its axis x leans; neither needs unit length. Velocities and wrenches are those along the absolute axes.
A body's attitude is the quaternion `q0 q1 q2 q3`, for which `jourdain.orientation` gives start values. Entries such as `Ixy` are those of
the tensor of inertia, minus the products of inertia that some other programs ask for.

An angle such as `rotation.q` counts turns. At the start it lies between 0.1 - pi and 0.1 + pi; a start value of `rotation.turned` that is a
multiple of 2 pi adds as many turns.
"""
