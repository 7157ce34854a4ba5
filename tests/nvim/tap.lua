-- What busted prints: its TAP, and behind each result the time since the one before, which is what
-- the test took with what was done to get it ready.
return function(options)
  local handler = require('busted.outputHandlers.TAP')(options)
  local last = vim.uv.hrtime()

  require('busted').subscribe({ 'test', 'end' }, function()
    local now = vim.uv.hrtime()
    io.write(('# took %.1f s\n'):format((now - last) / 1e9))
    io.flush()
    last = now
    return nil, true
  end)

  return handler
end
