-- What the server of a model can answer wrongly, in the format of Chat Completions, and what its user
-- is told of it: in the shell (ask_faults_cli_spec.lua) and in the chat window (chat_faults_spec.lua).
-- The model is m1, its key that of OXIDE_TEST_KEY, and a request is tried once more where that can help.

---@class test.ModelFault
---@field asks integer   how often it is asked
---@field answer test.ModelAnswer   each time
---@field says string    what the user is told has this

---@type table<string, test.ModelFault>
return {
  ['a wrong key'] = {
    asks = 1,
    answer = { status = 401, body = '{"error":{"message":"bad key"}}' },
    says = 'refused the key of OXIDE_TEST_KEY (HTTP 401): bad key',
  },
  ['a model that is not there'] = {
    asks = 1,
    answer = { status = 404, body = '{"error":"no such model"}' },
    says = 'has no model "m1", or no such API (HTTP 404): no such model',
  },
  ['a request that makes no sense'] = {
    asks = 1,
    answer = { status = 400, body = '[{"error":{"message":"what?"}}]' },
    says = 'answered with HTTP 400: what?',
  },
  ['a page'] = {
    asks = 1,
    answer = { status = 400, body = '<html>proxy</html>' },
    says = 'it answered with HTML; is the URL right?',
  },
  ['an error in the stream'] = {
    asks = 1,
    answer = { body = 'data: {"error":{"message":"it broke","code":400}}\n\n' },
    says = 'it broke',
  },
  ['a page with status 200'] = {
    asks = 1,
    answer = {
      headers = { ['content-type'] = 'text/html; charset=utf-8' },
      body = '<!doctype html><title>Welcome</title>',
    },
    says = 'did not answer with a stream of events: it answered with HTML; is the URL right?',
  },
  ['an object with status 200'] = {
    asks = 1,
    answer = {
      headers = { ['content-type'] = 'application/json' },
      body = '{"error":"no streams here"}',
    },
    says = 'did not answer with a stream of events: no streams here',
  },
  ['a failure of the server, twice'] = {
    asks = 2,
    answer = { status = 500, body = '{"error":{"message":"oops"}}' },
    says = 'answered with HTTP 500: oops (tried 2 times)\n',
  },
  ['a gateway whose server is away, twice'] = {
    asks = 2,
    answer = {
      status = 502,
      headers = { ['content-type'] = 'text/html' },
      body = '<html>\r\n<head><title>502 Bad Gateway</title></head></html>',
    },
    says = 'answered with HTTP 502: 502 Bad Gateway (tried 2 times)\n',
  },
  ['a quota that is used up'] = {
    asks = 1,
    answer = {
      status = 429,
      body = vim.json.encode {
        error = { message = 'You exceeded your current quota.', code = 'insufficient_quota' },
      },
    },
    says = 'answered with HTTP 429: You exceeded your current quota\n',
  },
  ['a limit that a date lifts'] = {
    asks = 2,
    answer = {
      status = 429,
      headers = { ['retry-after'] = 'Thu, 01 Jan 1970 00:00:00 GMT' },
      body = '{"error":{"message":"slow down"}}',
    },
    says = 'HTTP 429: slow down (tried 2 times)\n',
  },
  ['a server that is overloaded, and says for how long'] = {
    asks = 2,
    answer = {
      status = 529,
      headers = { ['retry-after'] = '0' },
      body = '{"error":{"message":"overloaded"}}',
    },
    says = 'HTTP 529: overloaded (tried 2 times)\n',
  },
  ['a context that is too large'] = {
    asks = 1,
    answer = { status = 413, body = '{"error":{"message":"prompt is too long"}}' },
    says = 'HTTP 413: prompt is too long; ask about less, or begin a new conversation\n',
  },
  ['a context that is too large for llama.cpp'] = {
    asks = 1,
    answer = {
      status = 400,
      body = vim.json.encode {
        error = { message = 'too large', type = 'exceed_context_size_error' },
      },
    },
    says = 'HTTP 400: too large; ask about less, or begin a new conversation\n',
  },
  ['a connection that breaks before a word'] = {
    asks = 2,
    answer = { body = ': hello\n\n', length = 5000 },
    says = 'failed: ',
  },
}
