-- The value of a name that is there, else the one that is given. ARGV: name, value
redis.call('HSETNX', VALUES, ARGV[3], ARGV[4])
return {'done', redis.call('HGET', VALUES, ARGV[3])}
