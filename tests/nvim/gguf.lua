-- A language model of 230 KB that says known words, for a real model server: what a test has it say
-- after a marker, with which the prompt ends.
--
--   gguf.write(path, {
--     template = '...',   -- in Jinja: makes the prompt of the messages
--     says = { ['<|greet|>'] = { 'Good ', 'morning.' } },
--   })
--
-- Each piece is a token of its own, so none may be there twice, and each token leads to the next one
-- alone: its embedding has a dimension to itself, from which the output layer makes the token that
-- follows. Attention and feed-forward layer are zero. Other text is read byte by byte.
local ffi = require('ffi')

local M = {}

local CONTEXT = 32768 -- tokens, which are bytes of the prompt
local FEED_FORWARD = 32
local ALIGNMENT = 32

-- The format's own numbers: types of metadata, and kinds of tokens.
local UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
local UNKNOWN, CONTROL, USER_DEFINED, BYTE = 2, 3, 4, 6

local BEGIN, END = 1, 2 -- tokens, which count from 0

---@param kind string   of C
---@param value any
---@return string   its bytes; all machines that have the server are little-endian
local function bytes(kind, value)
  local box = ffi.new(kind .. '[1]', value)
  return ffi.string(box, ffi.sizeof(box))
end

---@param text string
local function counted(text)
  return bytes('uint64_t', #text) .. text
end

local encode = {
  [UINT32] = function(value)
    return bytes('uint32_t', value)
  end,
  [INT32] = function(value)
    return bytes('int32_t', value)
  end,
  [FLOAT32] = function(value)
    return bytes('float', value)
  end,
  [BOOL] = function(value)
    return bytes('uint8_t', value and 1 or 0)
  end,
  [STRING] = counted,
}

---@param text string
---@return string   as long as the alignment wants it
local function aligned(text)
  return text .. ('\0'):rep(-#text % ALIGNMENT)
end

---@class test.Vocabulary
---@field text string[]           of each token; token 0 is the first
---@field kind integer[]
---@field follows [integer, integer][]   tokens: the second one comes after the first

---@param says table<string, string[]>
---@return test.Vocabulary
local function vocabulary(says)
  local text, kind, follows, seen = {}, {}, {}, {}
  local function add(word, its_kind)
    assert(not seen[word], ('%q is said twice'):format(word))
    seen[word] = true
    table.insert(text, word)
    table.insert(kind, its_kind)
    return #text - 1
  end
  add('<unk>', UNKNOWN)
  add('<s>', CONTROL)
  add('</s>', CONTROL)
  for byte = 0, 255 do
    add(('<0x%02X>'):format(byte), BYTE)
  end
  for marker, pieces in vim.spairs(says) do
    local last = add(marker, CONTROL)
    for _, piece in ipairs(pieces) do
      local token = add(piece, USER_DEFINED)
      table.insert(follows, { last, token })
      last = token
    end
    table.insert(follows, { last, END })
  end
  return { text = text, kind = kind, follows = follows }
end

---@class test.Tensor
---@field dimensions integer
---@field shape string
---@field data string

---@param rows integer
---@param columns integer
---@param cells? [integer, integer, number][]   row, column, value; the others are 0
---@return test.Tensor
local function matrix(rows, columns, cells)
  local data = ffi.new('float[?]', rows * columns)
  for _, cell in ipairs(cells or {}) do
    data[cell[1] * columns + cell[2]] = cell[3]
  end
  return {
    dimensions = 2,
    shape = bytes('uint64_t', columns) .. bytes('uint64_t', rows),
    data = ffi.string(data, ffi.sizeof(data)),
  }
end

---@param width integer
---@return test.Tensor
local function ones(width)
  return { dimensions = 1, shape = bytes('uint64_t', width), data = bytes('float', 1):rep(width) }
end

---@param words test.Vocabulary
---@param width integer   of the embedding; dimension 0 is for all tokens that nothing follows
---@return [string, test.Tensor][]   with its name
local function tensors(words, width)
  local embedding, output, own = {}, { { END, 0, 8 } }, {}
  for i, pair in ipairs(words.follows) do
    own[pair[1]] = i
    table.insert(output, { pair[2], i, 8 })
  end
  for token = 0, #words.text - 1 do
    table.insert(embedding, { token, own[token] or 0, 1 })
  end
  local list = {
    { 'token_embd.weight', matrix(#words.text, width, embedding) },
    { 'output_norm.weight', ones(width) },
    { 'output.weight', matrix(#words.text, width, output) },
    { 'blk.0.attn_norm.weight', ones(width) },
    { 'blk.0.ffn_norm.weight', ones(width) },
    { 'blk.0.ffn_gate.weight', matrix(FEED_FORWARD, width) },
    { 'blk.0.ffn_up.weight', matrix(FEED_FORWARD, width) },
    { 'blk.0.ffn_down.weight', matrix(width, FEED_FORWARD) },
  }
  for _, name in ipairs { 'q', 'k', 'v', 'output' } do
    table.insert(list, { ('blk.0.attn_%s.weight'):format(name), matrix(width, width) })
  end
  return list
end

---@param words test.Vocabulary
---@param width integer
---@param template string
---@return string[]   each with its key
local function metadata(words, width, template)
  local list = {}
  local function add(key, kind, value)
    table.insert(list, counted(key) .. bytes('uint32_t', kind) .. encode[kind](value))
  end
  local function add_array(key, kind, values)
    local head = bytes('uint32_t', ARRAY) .. bytes('uint32_t', kind)
    local items = table.concat(vim.tbl_map(encode[kind], values))
    table.insert(list, counted(key) .. head .. bytes('uint64_t', #values) .. items)
  end
  add('general.architecture', STRING, 'llama')
  add('general.name', STRING, 'scripted')
  add('general.file_type', UINT32, 0) -- float32
  add('llama.context_length', UINT32, CONTEXT)
  add('llama.embedding_length', UINT32, width)
  add('llama.block_count', UINT32, 1)
  add('llama.feed_forward_length', UINT32, FEED_FORWARD)
  add('llama.attention.head_count', UINT32, 1)
  add('llama.attention.head_count_kv', UINT32, 1)
  add('llama.attention.layer_norm_rms_epsilon', FLOAT32, 1e-5)
  add('llama.rope.dimension_count', UINT32, width)
  add('llama.vocab_size', UINT32, #words.text)
  add('tokenizer.ggml.model', STRING, 'llama')
  add_array('tokenizer.ggml.tokens', STRING, words.text)
  add_array('tokenizer.ggml.token_type', INT32, words.kind)
  add_array(
    'tokenizer.ggml.scores',
    FLOAT32,
    vim.tbl_map(function()
      return 0
    end, words.text)
  )
  add('tokenizer.ggml.unknown_token_id', UINT32, 0)
  add('tokenizer.ggml.bos_token_id', UINT32, BEGIN)
  add('tokenizer.ggml.eos_token_id', UINT32, END)
  add('tokenizer.ggml.add_space_prefix', BOOL, false)
  add('tokenizer.chat_template', STRING, template)
  return list
end

---@param path string
---@param model { template: string, says: table<string, string[]> }
function M.write(path, model)
  local words = vocabulary(model.says)
  local width = math.ceil((#words.follows + 1) / 64) * 64
  local named, infos, data, offset = tensors(words, width), {}, {}, 0
  for _, pair in ipairs(named) do
    local name, tensor = unpack(pair)
    local padded = aligned(tensor.data)
    local shape = bytes('uint32_t', tensor.dimensions) .. tensor.shape
    local float32 = bytes('uint32_t', 0)
    table.insert(infos, counted(name) .. shape .. float32 .. bytes('uint64_t', offset))
    table.insert(data, padded)
    offset = offset + #padded
  end
  local known = metadata(words, width, model.template)
  local head = 'GGUF'
    .. bytes('uint32_t', 3)
    .. bytes('uint64_t', #named)
    .. bytes('uint64_t', #known)
  local file = assert(io.open(path, 'wb'))
  file:write(aligned(head .. table.concat(known) .. table.concat(infos)), table.concat(data))
  file:close()
end

return M
