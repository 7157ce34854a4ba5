#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "code/outline.h"

static size_t line_of(struct str text, size_t at)
{
	size_t line = 1;

	for (size_t i = 0; i < at; i++)
		line += text.p[i] == '\n';
	return line;
}

/* One line an item: kind, path, first to last line; `?` where it is doubtful. */
static void print(struct str text, const struct outline *o, struct buf *out)
{
	static const char *const kinds[] = { "function", "type",    "space",
					     "value",	 "heading", "target" };

	for (size_t i = 0; i < o->n; i++) {
		const struct outline_item *it = &o->v[i];

		buf_adds(out, kinds[it->kind]);
		buf_addc(out, ' ');
		if (it->parent) {
			struct span of = o->v[it->parent - 1].name;

			buf_add(out, str_sub(text, of.at, of.end));
			buf_addc(out, '/');
		}
		buf_add(out, str_sub(text, it->name.at, it->name.end));
		if (it->doubtful)
			buf_adds(out, " ?\n");
		else
			buf_addf(out, " %zu-%zu\n", line_of(text, it->all.at),
				 line_of(text, it->all.end - 1));
	}
}

static void check(const char *filetype, const char *text, const char *want)
{
	struct outline o = { 0 };
	struct buf got = BUF_INIT;
	struct err e = ERR_INIT;

	if (outline_of(language_of(filetype), str_of(text), &o, &e))
		print(str_of(text), &o, &got);
	else
		buf_addf(&got, "%s: %s\n", err_name(e.code), e.msg);
	assert_string_equal(got.p ? got.p : "", want);
	buf_release(&got);
	outline_release(&o);
}

static void test_c(void **state)
{
	(void)state;
	check("c",
	      "#include <a.h>\n"
	      "struct point { int x, y; };\n"
	      "static struct point origin = { 0, 0 };\n"
	      "MODULE(\"x\")\n"
	      "enum colour { RED };\n"
	      "int add(int a, struct point *p);\n"
	      "int add(int a, struct point *p)\n{\n\tif (a) {\n\t\twhile (a)\n\t\t\tadd(a, p);\n"
	      "\t}\n\treturn a; // }\n}\n"
	      "struct point *\nmove(void)\n{\n\tstruct local { int a; } l;\n\treturn 0;\n}\n"
	      "int (*hook)(void) = 0;\n"
	      "EXPORT(int) late(void) { return 1; }\n"
	      "int old(a, b)\n\tint a, b;\n\tchar *c;\n{\n\treturn a;\n}\n"
	      "int young(void) { return 2; }\n",
	      "type point 2-2\ntype colour 5-5\nfunction add 6-6\nfunction add 7-14\n"
	      "function move 15-20\ntype move/local 18-18\nfunction late 22-22\n"
	      "function old ?\nfunction young 29-29\n");
}

static void test_cpp(void **state)
{
	(void)state;
	check("cpp",
	      "namespace a::b {\n"
	      "template <class T>\nclass API Shape : public Base<int> {\npublic:\n"
	      "\tShape() : w(1), h{2} { go(); }\n\t~Shape();\n"
	      "\tint area() const noexcept { return w * h; }\n"
	      "\tvirtual int edge() = 0;\n\tstd::function<void(int)> f{};\n\tint w : 3, h;\n"
	      "};\n"
	      "int Shape::edge() { return 4; }\n"
	      "auto f = [](int x) { return x; };\n"
	      "}\n"
	      "extern \"C\" {\nvoid g() { }\n}\n"
	      "int tried()\ntry\n{\n}\ncatch (...)\n{\n}\nint after() { return 1; }\n",
	      "space a::b 1-14\ntype a::b/Shape 3-11\nfunction Shape/Shape 5-5\nfunction Shape/~Shape 6-6\n"
	      "function Shape/area 7-7\nfunction Shape/edge 8-8\nfunction a::b/Shape::edge 12-12\n"
	      "function g 16-16\nfunction tried ?\nfunction after 25-25\n");
}

static void test_operators(void **state)
{
	(void)state;
	check("cpp",
	      "struct A {\n\tA &operator=(const A &a) { return *this; }\n"
	      "\tint operator()(int b) const;\n\texplicit operator bool() const { return 1; }\n"
	      "\toperator std::vector<int>();\n\tA operator<<=(int);\n\tint last() { return 1; }\n};\n"
	      "A A::operator[](int i) { return *this; }\nvoid *operator new(size_t n) { return 0; }\n"
	      "int after() { return &A::operator=, 1; }\n",
	      "type A 1-8\nfunction A/operator= 2-2\nfunction A/operator() 3-3\n"
	      "function A/operator bool 4-4\nfunction A/operator std::vector<int> 5-5\n"
	      "function A/operator<<= 6-6\nfunction A/last 7-7\nfunction A::operator[] 9-9\n"
	      "function operator new 10-10\nfunction after 11-11\n");
	check("c", "int operator = 1;\nint f(void) { return operator + 1; }\n", "function f 2-2\n");
}

static void test_macros(void **state)
{
	(void)state;
	check("cpp",
	      "namespace a VISIBLE(default)\n{\nclass B {\n\tNO_COPY(B)\n\tPROPERTY(int x)\n"
	      "\tvoid f();\n\tB(int);\n};\n}\n"
	      "static void PRINTS(1, 2)\nsay(const char *text)\n{\n}\n"
	      "int ADD(int a) QUIET(b) { return a; }\nint add(int a) QUIET(b) { return a; }\n"
	      "void A::\ng() {}\n",
	      "space a 1-9\ntype a/B 3-8\nfunction B/f 6-6\nfunction B/B 7-7\nfunction say 10-13\n"
	      "function ADD 14-14\nfunction add 15-15\nfunction g 16-17\n");
}

static void test_branches(void **state)
{
	(void)state;
	check("c", "#ifdef A\nint f(int a) {\n#else\nint f(void) {\n#endif\n\treturn 1;\n}\n",
	      "unsupported: brackets differ between the branches of an #if at line 3\n");
	check("c",
	      "#ifdef A\nint f(int a) { return a; }\n#else\nint f(void) { return 1; }\n#endif\n",
	      "function f 2-2\nfunction f 4-4\n");
	/* What only C++ has of a header that C reads too. */
	check("c",
	      "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(int a);\nstruct a { int b; };\n"
	      "#if defined(__cplusplus)\n} /* C */\n#endif\n",
	      "function f 4-4\ntype a 5-5\n");
	/* A head that differs has a name, which is no other's alone. */
	check("cpp", "class A\n#ifdef B\n\t: B\n#endif\n{\n};\nvoid f() {}\n",
	      "type A ?\nfunction f 7-7\n");
	check("c", "int f(void)\n{\n\tif (1) {\n}\n",
	      "unsupported: unbalanced brackets at line 5\n");
	check("c", "int f(void)\n{\n\treturn (1;\n}\n",
	      "unsupported: unbalanced brackets at line 4\n");
}

static void test_python(void **state)
{
	(void)state;
	check("python",
	      "import os\n\n@cache\ndef area(w: int,\n         h=1):\n    \"\"\"def no():\"\"\"\n\n"
	      "    return w\n\n\nclass Shape:\n    async def edge(self): return 2\n\n"
	      "    def inner(self):\n        def deep():\n            pass\n        return deep\n"
	      "(a, b) = 1, 2\nif a:\n    def area(): pass\n",
	      "function area 4-8\ntype Shape 11-17\nfunction Shape/edge 12-12\n"
	      "function Shape/inner 14-17\nfunction inner/deep 15-16\nfunction area 20-20\n");
	check("python", "def a():\n    pass\n\ndef b():\n\tpass\n",
	      "unsupported: mixed tabs and spaces in the indentation at line 5\n");
	check("python", "x = (1\n", "unsupported: unbalanced brackets at line 2\n");
}

/* What is only looked at: all of it is doubtful. */
static void test_lines(void **state)
{
	(void)state;
	check("ruby",
	      "# def no\nmodule A::B\n  class Shape < Base\n    def area\n      [1].each do |x|\n"
	      "        x\n      end\n    end\n\n    def self.of(w) = new(w)\n  end\nend\n"
	      "class << self\nend\ndef load; end\n",
	      "space A::B ?\ntype A::B/Shape ?\nfunction Shape/area ?\n"
	      "function Shape/self.of ?\nfunction load ?\n");
	check("java",
	      "import a.b;\n@Deprecated\npublic final class Shape<T>\n    extends Base {\n"
	      "    private int w = area(2);\n    static { load(1); }\n"
	      "    public Shape(int w) {\n        this.w = w;\n        if (w > 1) {\n"
	      "            area(w);\n        }\n        int inner = area(2);\n    }\n"
	      "    @Override\n    public <U> List<String[]> names(Map<U, T> m)\n"
	      "            throws Bad {\n        return new Names(m);\n    }\n"
	      "    @Test void one() { two(); }\n    enum Color { RED(1), GREEN(2); }\n"
	      "    interface Sized { int area(); }\n}\n",
	      "type Shape ?\nfunction Shape/Shape ?\nfunction Shape/names ?\n"
	      "function Shape/one ?\ntype Shape/Color ?\ntype Shape/Sized ?\n");
	check("cs",
	      "namespace A.B\n{\n    public class Shape : Base\n    {\n        public int W { get; }\n"
	      "#if X\n        int Area() => 2;\n#endif\n        async Task<int> Go()\n        {\n"
	      "            Run(1);\n        }\n    }\n}\n",
	      "space A.B ?\ntype A.B/Shape ?\nfunction Shape/Area ?\nfunction Shape/Go ?\n");
	check("kotlin",
	      "data class P(\n    val a: Int,\n    val b: Int,\n) : Base()\nenum class E { A }\n"
	      "fun <T> List<T>.first2(): T = get(0)\nclass C {\n    companion object {\n"
	      "    }\n    override suspend fun go() {}\n}\n",
	      "type P ?\ntype E ?\nfunction first2 ?\ntype C ?\nfunction C/go ?\n");
	check("java",
	      "@interface Until {\n    double value();\n}\npublic @interface Since { }\n"
	      "interface A {\n    <T> T of(B b);\n}\n",
	      "type Until ?\nfunction Until/value ?\ntype Since ?\ntype A ?\nfunction A/of ?\n");
	check("cs",
	      "\xef\xbb\xbfnamespace A\n{\n    class B\n    {\n        void F()\n        {\n"
	      "            G(@\"c:\\\", @\"\nselect \"\"x\n(\");\n        }\n        void H() { }\n    }\n}\n",
	      "space A ?\ntype A/B ?\nfunction B/F ?\nfunction B/H ?\n");
	check("scala", "private[a] trait A {\n  protected[this] def b[T](t: T): Int = 1\n}\n",
	      "type A ?\nfunction A/b ?\n");
	check("swift", "class A {\n    class var b: Int { 1 }\n    class func c() {}\n}\n",
	      "type A ?\nfunction A/c ?\n");
	check("julia",
	      "mutable struct A\nend\nabstract type B end\nf(x) = x + 1\nBase.g!(a::A{T}, b) where T = b\n"
	      "A{T}() where T = 1\n@inline function h(x)\n  k(x) == 1\nend\nx = f(1)\n",
	      "type A ?\ntype B ?\nfunction f ?\nfunction Base.g ?\nfunction A ?\nfunction h ?\n");
	check("elixir", "defprotocol A do\n  def b?(c)\n  defguard d(e) when e\nend\n",
	      "space A ?\nfunction A/b ?\nfunction A/d ?\n");
	/* What is in brackets that do not match is shown, too. */
	check("ruby",
	      "module ::A\n  X = [(\n  def b\n    if /\"(/ =~ c then d( end\n  end\n  def e; end\nend\n",
	      "space A ?\nfunction A/b ?\nfunction A/e ?\n");
	check("sh",
	      "#!/bin/sh\narea() {\n\techo $(($1))\n\tcat <<E\nno() {\nE\n}\nfunction load {\n"
	      "\tarea 1\n}\n",
	      "function area ?\nfunction load ?\n");
	check("vim",
	      "\" function! No()\nfunction! <SID>s:go(a) abort\nendfunction\ndef a#b()\nenddef\n"
	      "let a = \"((\"\nfun! C()\nendfun\n",
	      "function s:go ?\nfunction a#b ?\nfunction C ?\n");
}

static void test_marks(void **state)
{
	(void)state;
	check("markdown",
	      "---\n# no\n---\n# One #\ntext\n\n```sh\n# no\n```\n### Deep\n## Two\nThree\n=====\n"
	      "#no\n    # code\n- a\n---\n1. a\n---\n~~~~\n~~~\n# no\n~~~~\nFour four\n---\n#\n",
	      "heading One ?\nheading One/Deep ?\nheading One/Two ?\nheading Three ?\n"
	      "heading Three/Four four ?\n");
	check("markdown", "1.2 / 2016\n===\ntext\n", "heading 1.2 / 2016 ?\n");
	check("make",
	      "CC := a:b\nX = y: z\nall: a.o b.o\n\t@echo no: x\n.PHONY: all\na.o b.o: %.o: %.c \\\n"
	      "  no: x\n\tcc\n$(B)/x: y\nall: CFLAGS = 1\ndefine D\nno: x\nendef\n"
	      "ifeq ($(A),b:c)\nendif\nclean:: ; rm\nl.a: $(S:%.c=%.o)\n",
	      "target all ?\ntarget a.o ?\ntarget b.o ?\ntarget $(B)/x ?\ntarget clean ?\n"
	      "target l.a ?\n");
}

static void test_rust(void **state)
{
	(void)state;
	check("rust",
	      "#[derive(Debug)]\npub struct Square<T>(T);\n"
	      "impl<T> Shape for Square<T>\nwhere T: Copy {\n"
	      "    pub(crate) fn area(&self, f: fn(u32) -> bool, x: impl Fn()) -> u32 {\n"
	      "        fn inner() {}\n        if f(1) { 2 } else { 3 }\n    }\n}\n"
	      "trait Shape { fn area(&self) -> u32; }\n"
	      "unsafe extern \"C\" fn go() -> impl Iterator<Item = u8> { x }\n",
	      "type Square 2-2\nspace impl<T> Shape for Square<T> 3-9\n"
	      "function impl<T> Shape for Square<T>/area 5-8\nfunction area/inner 6-6\n"
	      "type Shape 10-10\nfunction Shape/area 10-10\nfunction go 11-11\n");
}

/* A comma may end the bounds of types. */
static void test_rust_bounds(void **state)
{
	(void)state;
	check("rust",
	      "impl<T> A<T>\nwhere\n    T: B,\n{\n    fn f<U>(u: U) -> T\n    where\n        U: Fn(T, T) -> T,\n"
	      "    {\n        if u(1) {}\n    }\n    fn g(&self) where Self: Sized, {}\n}\n"
	      "struct C<T>\nwhere\n    T: B,\n{\n    t: T,\n}\nfn last() {}\n",
	      "space impl<T> A<T> 1-12\nfunction impl<T> A<T>/f 5-10\n"
	      "function impl<T> A<T>/g 11-11\ntype C 13-18\nfunction last 19-19\n");
}

static void test_go(void **state)
{
	(void)state;
	check("go",
	      "package a\n\ntype Shape struct {\n\tw int\n}\ntype Size int\n\n"
	      "func (s *Shape) Area(f func(int) int) interface{} {\n\tif f(1) > 0 {\n\t\treturn 1\n\t}\n"
	      "\tg := func(a int) error {\n\t\treturn nil\n\t}\n\treturn g\n}\n\n"
	      "func New[T any](x T) (a interface{}, err error) { return }\n",
	      "type Shape 3-5\ntype Size ?\nfunction Area 8-16\nfunction New 18-18\n");
	check("go", "package a\n\nfunc F()\n\n// c\n\n{\n}\n", "function F 3-8\n");
	/* What closes the receiver is none of its brackets. */
	check("go", "func (s p] f(a int) {\n}\n", "unsupported: unbalanced brackets at line 1\n");
}

static void test_typescript(void **state)
{
	(void)state;
	check("typescript",
	      "export default async function load(a: { b: number }): Promise<{ c: string }> {\n"
	      "  if (a) { go() }\n}\n"
	      "class Shape<T> extends Base {\n  size = 1\n  run = () => { }\n  @log()\n"
	      "  static async *area(): { w: number } {\n    return this.edge(1)\n  }\n"
	      "  get edge() { return 2 }\n}\n"
	      "const f = () => {\n  function inner() { }\n}\n"
	      "const o = { method(x) { return x }, named: function other() { } }\n"
	      "it('runs', function () { x.class })\nfunction g()\n{\n}\n",
	      "function load 1-3\ntype Shape 4-12\nvalue Shape/size ?\nfunction Shape/run ?\n"
	      "function Shape/area 8-10\nfunction Shape/edge 11-11\nfunction f ?\n"
	      "function inner 14-14\nvalue o ?\nfunction method ?\nfunction named ?\nfunction other ?\n"
	      "function g 18-20\n");
	check("typescript",
	      "const a = 1;\nconst b = (x: number): number => x;\nlet c = async y => y;\n"
	      "var d = function () {};\nconst e = (1 + 2) * 3;\nconst g = <T,>(x: T) => x;\n"
	      "class K {\n  private w = 1;\n  of = () => 2;\n}\n",
	      "value a ?\nfunction b ?\nfunction c ?\nfunction d ?\nvalue e ?\nfunction g ?\n"
	      "type K 7-10\nvalue K/w ?\nfunction K/of ?\n");
}

static void test_javascript(void **state)
{
	(void)state;
	check("typescript",
	      "class A {\n  on<K extends keyof M>(k: K): void {\n    k(1)\n  }\n"
	      "  #own() { }\n  m = new Map<string, A>()\n}\n",
	      "type A 1-7\nfunction A/on 2-4\nfunction A/own 5-5\nvalue A/m ?\n");
	check("javascript",
	      "A.prototype.go = function () { }\nexports.run = (a) => a\nA.b = 1\n"
	      "$.fn = { each: function (f) { }, w: 1, at: async function () { } }\n"
	      "x = a ? b : function () { }\n",
	      "function go ?\nfunction run ?\nfunction each ?\nfunction at ?\n");
}

static void test_lua(void **state)
{
	(void)state;
	check("lua",
	      "local M = {}\nlocal function a(x)\n  if x then\n    return function() end\n  end\nend\n"
	      "function M.b:c()\n  local function d() end\nend\nM.e = function() end\n",
	      "function a 2-6\nfunction M.b:c 7-9\nfunction M.b:c/d 8-8\nfunction M.e 10-10\n");
	check("lua",
	      "X = function()\n  local inner = function() end\nend\nlocal y =\n  function(a)\nend\n"
	      "M.sub.z = function() end; W = function() end -- two\n",
	      "function X 1-3\nfunction X/inner 2-2\nfunction y 4-6\nfunction M.sub.z 7-7\n");
	check("lua",
	      "a = function() end or b\nb = function() end\n  or c\nc = function() end d = 1\n",
	      "function a ?\nfunction b ?\nfunction c ?\n");
	check("lua",
	      "local T = {\n  f = function() end,\n}\na, b = function() end, 1\nx.y[1] = function() end\n"
	      "call(\n  k,\n  function() end)\ng = g or function() end\nreturn function() end\n"
	      "if v == 1 then\n  h = function() end\nend\n",
	      "function h 12-12\n");
	check("lua", "function a()\n", "unsupported: unterminated block at line 1\n");
}

/* As deep as no program is: in a time that grows with the text. */
static void test_nested(void **state)
{
	enum { DEEP = 100000 };
	struct buf text = BUF_INIT;
	struct outline o = { 0 };
	struct err e = ERR_INIT;

	(void)state;
	for (int i = 0; i < DEEP; i++)
		buf_adds(&text, i % 2 ? "function a()\n" : "b = function()\n");
	for (int i = 0; i < DEEP; i++)
		buf_adds(&text, i % 2 ? "end or c\n" : "end\n");
	assert_true(outline_of(language_of("lua"), buf_str(&text), &o, &e));
	assert_int_equal(o.n, DEEP);
	assert_true(o.v[0].doubtful && !o.v[1].doubtful);
	assert_int_equal(o.v[1].parent, 0); /* nothing is in what is doubtful */
	assert_int_equal(o.v[3].parent, 2);
	outline_release(&o);
	buf_clear(&text);
	for (int i = 0; i <= DEEP; i++)
		buf_adds(&text, "{");
	assert_false(outline_of(language_of("c"), buf_str(&text), &o, &e));
	assert_string_equal(e.msg, "too many nested brackets at line 1");
	outline_release(&o);
	buf_release(&text);
}

static void test_others(void **state)
{
	(void)state;
	check("cobol", "f() { }\n",
	      "unsupported: declarations of this language cannot be parsed\n");
	check("c", "", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c),	    cmocka_unit_test(test_cpp),
		cmocka_unit_test(test_operators),   cmocka_unit_test(test_macros),
		cmocka_unit_test(test_branches),    cmocka_unit_test(test_python),
		cmocka_unit_test(test_rust_bounds), cmocka_unit_test(test_javascript),
		cmocka_unit_test(test_lines),	    cmocka_unit_test(test_marks),
		cmocka_unit_test(test_rust),	    cmocka_unit_test(test_go),
		cmocka_unit_test(test_typescript),  cmocka_unit_test(test_lua),
		cmocka_unit_test(test_nested),	    cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
