-- Where the server cannot tell what a name means, because nothing says of what type a value is or
-- because it is in the body of a macro that is not expanded, a change is refused unless it may be
-- incomplete. With the real servers.
local e2e = require('e2e')
local project = require('project')

local function rename(args)
  return project.call(
    'lsp_rename',
    vim.tbl_extend('force', { new_name = 'cost', confirm = 'apply' }, args)
  )
end

--- Is refused for `place`, and made where it may be incomplete.
local function refuses(args, place, why)
  local file = place:match('^[^:]+')
  local before = project.get(file)
  local done = rename(args)
  assert.equal(1, done.code, done.out)
  assert.equal('incomplete', done.answer.error.code, done.out)
  assert.matches(
    vim.pesc(place) .. (why or '.*cannot tell'),
    table.concat(done.answer.error.reasons, '\n')
  )
  assert.equal(file, done.answer.error.files[1].file)
  assert.equal(before, project.get(file))
  args.incomplete = 'allow'
  done = rename(args)
  assert.equal(0, done.code, done.out)
  assert.is_false(done.answer.complete)
  assert.matches(vim.pesc(place), table.concat(done.answer.reasons, '\n'))
end

describe('a name whose meaning the server cannot tell', function()
  after_each(project.finish)

  ---@param files table<string, string>
  ---@param config? string
  local function begin(files, config)
    project.reside(config)
    project.fill(files)
  end

  it('a method of Python, called on what has no type', function()
    begin {
      ['pyrightconfig.json'] = '{}\n',
      ['order.py'] = 'class Order:\n    def price(self, rate):\n        return rate\n',
      ['total.py'] = 'def total(orders, rate):\n    return sum(o.price(rate) for o in orders)\n',
    }
    refuses({ file_path = 'order.py', line = 2, symbol = 'price' }, 'total.py:2')
  end)

  it('but not other names of Python that are words of their own', function()
    begin {
      ['pyrightconfig.json'] = '{}\n',
      ['order.py'] = 'class Order:\n    def price(self, rate):\n        return rate\n',
      ['total.py'] = 'from order import Order\n\n\ndef total(rate):\n    price = Order().price(rate)\n'
        .. '    return [price for price in [price]]\n',
    }
    local done = rename { file_path = 'order.py', line = 2, symbol = 'price' }
    assert.equal(0, done.code, done.out)
    assert.is_true(done.answer.complete, done.out)
  end)

  it('a member of TypeScript, of what is any', function()
    begin {
      ['tsconfig.json'] = e2e.tsconfig(),
      ['order.ts'] = 'export class Order {\n  price(rate: number) { return rate; }\n}\n',
      ['total.ts'] = 'export function total(o: any) { return o.price(2); }\n',
    }
    refuses({ file_path = 'order.ts', line = 2, symbol = 'price' }, 'total.ts:1')
  end)

  it('a function that TypeScript imports from a module that is not found', function()
    begin {
      ['tsconfig.json'] = e2e.tsconfig('**/*.ts'),
      ['lib/shape.ts'] = 'export function price(n: number) { return n; }\n',
      ['app/main.ts'] = "import { price } from '@lib/shape';\n"
        .. 'export const main = [1, 2].map(price);\n',
    }
    refuses(
      { file_path = 'lib/shape.ts', line = 1, symbol = 'price' },
      'app/main.ts:1',
      ': typescript does not find the module'
    )
  end)

  it('a function that JavaScript requires from a module that is not found', function()
    begin {
      ['lib/shape.js'] = 'function price(n) { return n; }\nmodule.exports = { price };\n',
      ['app/main.js'] = "const { price } = require('@lib/shape');\n"
        .. 'module.exports.main = [1, 2].map(price);\n',
    }
    refuses({ file_path = 'lib/shape.js', line = 1, symbol = 'price' }, 'app/main.js:1')
  end)

  it('but not what is imported from another module that is there', function()
    begin {
      ['tsconfig.json'] = e2e.tsconfig('**/*.ts'),
      ['lib/shape.ts'] = 'export function price(n: number) { return n; }\n',
      ['lib/other.ts'] = 'export function price(n: number) { return n + 1; }\n',
      ['app/main.ts'] = "import { price } from '../lib/other';\n"
        .. 'export const main = [1, 2].map(price);\n',
    }
    local done = rename { file_path = 'lib/shape.ts', line = 1, symbol = 'price' }
    assert.equal(0, done.code, done.out)
    assert.is_true(done.answer.complete, done.out)
  end)

  it('a function in the body of macro_rules!', function()
    if vim.fn.executable('rust-analyzer') == 0 then
      pending('rust-analyzer could not be had')
      return
    end
    begin({
      ['Cargo.toml'] = '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
      ['src/main.rs'] = 'mod shape;\n\nfn main() {\n    println!("{}", twice!(2));\n}\n',
      ['src/shape.rs'] = 'pub fn price(a: i32) -> i32 {\n    a\n}\n\n#[macro_export]\n'
        .. 'macro_rules! twice {\n    ($x:expr) => {\n        $crate::shape::price($x) * 2\n    };\n}\n',
    }, e2e.samples.rust_analyzer.config)
    refuses({ file_path = 'src/shape.rs', line = 1, symbol = 'price' }, 'src/shape.rs:8')
  end)
end)
