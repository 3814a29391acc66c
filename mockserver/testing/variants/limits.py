"""How much at once."""

#: How many calls of the tasks of one loop are made at once; the others wait for their turn. Chosen several times as
#: large as the number of waiting calls that tests make, because a call that waits may wait for what another one does.
THREADS = 256
