-- What a client, or a project, may try against `oxide mcp` by itself.
-- (describe() and its like are globals of a spec alone)
setfenv(require('mcp_hostile'), getfenv())('--here')
