"""Bodies, joints and forces in the plane.

A body gives the motion of its points: place, angle, velocities and accelerations in absolute axes; the acceleration of its
mass centre is `der(vx)`, `der(vy)` and `der(omega)`. A joint or force reads the motion of the points M and N and gives each
body the force on it along the absolute axes, with the torque on it about the point. `reaction` is the magnitude of the force
on the body at N, without sign; the components are `N.Fx` and `N.Fy`.
"""
