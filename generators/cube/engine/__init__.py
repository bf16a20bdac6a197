"""The cube engine: states, moves, notation, legality and symmetry of the 3x3x3 cube.

Conventions, shared by every module:

- A state is a facelet string: 54 letters out of URFDLB, faces in the order U, R, F, D, L, B, each
  read row by row as seen from outside (U with B on top, D with F on top, the sides with U on top).
  A letter names the face whose colour the sticker has. In arrays the letters are 0 to 5.
- Axes: x points out of R, y out of U, z out of F. A turn is clockwise as seen from outside its
  face; M turns like L, E like D, S like F; a lower-case letter turns two layers; x, y, z turn the
  whole cube like R, U, F. Slices, wide moves and whole-cube turns move the centres.
- Maneuvers are read left to right, and products are too: a product (a, b) is first a, then b.
- A permutation p of facelets says where each sticker comes from: new[i] = old[p[i]].
- Corners are numbered URF UFL ULB UBR DFR DLF DBL DRB; edges UR UF UL UB DR DF DL DB FR FL BL BR.
"""
