-- Carry out one command. ARGV: layout, command. Gives: done, the reply.
return refusal() or {'done', redis.call(unpack(ARGV, 2))}
