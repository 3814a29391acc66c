-- Drop all counts.
redis.call('DEL', COUNTS)
tell(SERVER, 'cleared', '', '')
return {'done'}
