-- What a client, or a project, may try against `oxide mcp` in Neovim, through the relay.
-- (describe() and its like are globals of a spec alone)
setfenv(require('mcp_hostile'), getfenv())('--editor')
