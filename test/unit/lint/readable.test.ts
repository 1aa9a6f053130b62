// Spellings that only a preprocessor, or another language than C++, understands: the text keeps its length, the function around them parses, a
// fault behind them is found on its line and a clean twin stays silent.
import { describe, expect, it } from 'vitest';
import { ViewMemo, viewOf } from '../../../helper/lint/text/views';
import { facts, lintText } from './harness';

interface Spelling {
  readonly written: string;
  readonly read: string;
  readonly file?: string;
}

const spellings: readonly Spelling[] = [
  { written: 'item = container_of(entry, struct util_item, link);', read: 'item = container_of(entry, util_item, link);' },
  { written: 'ALLOCATE(rcnt,uint64_t,n->count);', read: 'ALLOCATE(rcnt,0 ,n->count);' },
  { written: 'b = TYPED_CALLOC(struct buffer);', read: 'b = TYPED_CALLOC( buffer);' },
  { written: 'p = member(p, n, uint8_t);', read: 'p = member(p, n, uint8_T);' },
  { written: 'p = item_of(job, 1, struct item **);', read: 'p = item_of(job, 1, item );' },
  { written: 'n = field_of(job, 0, unsigned int);', read: 'n = field_of(job, 0, 0 );' },
  { written: 'items = g_newa (UtilItem *, n);', read: 'items = g_newa (UtilItem , n);' },
  { written: 'n = offsetof(struct job, head.sizes[n + 1]);', read: 'n = offsetof(struct job, head_sizes_n___1_);' },
  { written: 'RUN_ALL(half, , n);', read: 'RUN_ALL(half , n);' },
  { written: 'TRANSITION(cmd,\n    .from = a, .range = {.levels = 1});', read: 'TRANSITION(cmd, a, {.levels = 1});' },
  { written: 'TIMED(CUresult error = cuCtxSynchronize(), AREA);', read: 'TIMED( error = cuCtxSynchronize(), AREA);' },
  { written: 'ASSIGN_OR_RETURN(std::unique_ptr<Item> item, make_item());', read: 'ASSIGN_OR_RETURN( item, make_item());' },
  { written: 'BAIL_OR(auto& item, make_item());', read: 'BAIL_OR( item, make_item());' },
  { written: 'EXPECT_NO_THROW(Item item{0});', read: 'EXPECT_NO_THROW( item{0});' },
  { written: 'Limits limits{ .size{1}, .count {2} };', read: 'Limits limits{ size:{1}, count: {2} };' },
  { written: 'p = SPA_MEMBER (p, off, uint8_t);', read: 'p = SPA_MEMBER (p, off, 0 );' },
  { written: 'argv = g_new0 (char *, argc);', read: 'argv = g_new0 (0 , argc);' },
  { written: 'printf("%" PRIu64 " frames, %"PRIx32"\\n", n, m);', read: 'printf("%" " frames, %" "\\n", n, m);' },
  { written: 'LOG("caps %" GST_PTR_FORMAT, caps);', read: 'LOG("caps %" , caps);' },
  { written: 'log_error(REGION_FMT " is lost", n);', read: 'log_error( " is lost", n);' },
  { written: 'puts("version " TO_STRING(MAJOR) "." NAME);', read: 'puts("version " "." );' },
  { written: 'b = buf_create(gpu, buf_params(.size = f(n, 1), .mapped = true,));', read: 'b = buf_create(gpu, buf_params( f(n, 1), true ));' },
  { written: 'g_autoptr (GError) error = NULL;', read: 'g_autoptr error = NULL;' },
  { written: 'g_autofree char *path = NULL;', read: 'g_autofree path = NULL;' },
  { written: 'g_assert_cmpint (count (), ==, 0);', read: 'g_assert_cmpint (count (), 0 , 0);' },
  { written: 'TRACE_START("", LEVEL)\n  TRACE_NAME("x")\n  count();', read: 'TRACE_START("", LEVEL)\n; TRACE_NAME("x")\n; count();' },
  { written: 'ENTER\n  double start = now();', read: ' double start = now();' },
  { written: 'if (n) { POP_RANGE }', read: 'if (n) { }' },
  { written: 'BEGIN_SCOPE(n) {\n  }', read: ' {\n  }' },
  { written: 'switch (n) {\n  default:\n    LOG_LOST("n", n)\n  }', read: 'switch (n) {\n  default:\n    LOG_LOST("n", n)\n ; }' },
  { written: 'if (n)\n    ADD_PAIR(n, 1)\n  else\n    ADD_PAIR(n, 2)\n  count();', read: 'if (n) ADD_PAIR(n, 1) ; else ADD_PAIR(n, 2) ; count();' },
  { written: 'util_check(count(), "x")\n\n  // counted\n  count();', read: 'util_check(count(), "x") // counted ; count();' },
  { written: 'if (n) { CHECKED(count()) };', read: 'if (n) { CHECKED(count());};' },
  { written: 'CHECK(count(););', read: 'CHECK(count());' },
  { written: 'int rc MAYBE_UNUSED = count();', read: 'int rc = count();' },
  { written: 'if (client == GL_NO_API) use(MEM_MAP_EXPORT, client);', read: 'if (client == GL_NO_API) use(MEM_MAP_EXPORT, client);' },
  { written: 'list_for_each(item, &all, link)\n    if (item) count();', read: 'while(or_each(item, &all, link)\n )if (item) count();' },
  { written: 'dlist_foreach_safe(&l, struct item, e, m) {\n  }', read: 'while(foreach_safe(&l, item, e, m)){\n  }' },
  { written: 'struct item* new = make(sizeof(*new)); // new', read: 'struct item* neW = make(sizeof(*neW)); // new', file: 'a.c' },
  { written: 'each(n, [n] __device__(float v) { return v; });', read: 'each(n, [n] (float v) { return v; });', file: 'a.cu' },
  { written: 'log(typeid(decltype(this)).name());', read: 'log(typeid(type_of_(this)).name());' },
  { written: 'verify(count(), "no, none", return VK_INCOMPLETE);', read: 'verify(count(), "no, none", 0 );' },
  { written: 'verify("none left", drop(fd); return VK_INCOMPLETE;);', read: 'verify("none left", 0 );' },
  { written: 'if (n) verify("a (b", log("c, d"); log("e"); break);', read: 'if (n) verify("a (b", 0 );' },
  { written: 'names = new const char *[n];', read: 'names = new char [n];' },
  { written: 'call->operator()(a); n = map->operator[](n); a.operator=(b);', read: 'call->operator__(a); n = map->operator__(n); a.operator_(b);' },
  { written: 'use(a.operator Matrix<float, 4>());', read: 'use(a.operator_Matrix_float__4_());' },
  { written: 'auto shape = typename Tile::Shape{};', read: 'auto shape = Tile::Shape{};' },
  { written: 'entry = decltype(entry)(symbol("entry"));', read: 'entry = decl_of_(entry)(symbol("entry"));' },
  { written: 'if (typeid(T) == typeid(unsigned int)) count();', read: 'if (typeid(T) == sizeof(unsigned int)) count();' },
  { written: 'run([&n, lock{std::move(lock)}](int i) { use(i); });', read: 'run([&n, lock=std::move(lock) ](int i) { use(i); });' },
  {
    written: 'auto drain = [&](std::span<const int> more = {}) -> int { return 1; };',
    read: 'auto drain = [&](std::span<const int> more = 0 ) -> int { return 1; };',
  },
  { written: 'tile<x, y><<<grid, {x, y, 1}, 0, stream>>>(a);', read: 'tile<x, y><<<grid, (x, y, 1), 0, stream>>>(a);', file: 'a.cu' },
  { written: 'if UNLIKELY (n == 1) count();', read: 'if (n == 1) count();' },
  { written: 'each(n, [=] UTIL_DEVICE(int i) { use(i); });', read: 'each(n, [=] (int i) { use(i); });' },
  { written: 'each(n, UTIL_LAMBDA(int i) { use(i); });', read: 'each(n, [=] (int i) { use(i); });' },
  { written: 'UTIL_UNUSED const char *name;', read: ' const char *name;' },
  { written: 'ALIGNED(8) char bytes[SIZE];', read: ' char bytes[SIZE];' },
  { written: 'int n __attribute__((cleanup(f))) = 1;', read: 'int n [[cleanup(f) ]] = 1;' },
  { written: '__attribute__((cleanup(f))) int n = 1;', read: '__attribute__((cleanup(f))) int n = 1;' },
  { written: 'int n __attribute__((unused)) = 1;', read: 'int n = 1;' },
  { written: '_cleanup_close_ int n = dup(0);', read: '_cleanup_close_ n = dup(0);', file: 'a.c' },
  { written: 'nm_auto_close int n = dup(0);', read: 'nm_auto_close n = dup(0);', file: 'a.c' },
  { written: '_Thread_local static char bytes[8];', read: ' static char bytes[8];', file: 'a.c' },
  { written: 'puts(BOLD RED "built " __DATE__ " " __TIME__ "\\n");', read: 'puts( "built " " " "\\n");' },
  { written: 'std::cout << "lost" RESET << n;', read: 'std::cout << "lost" << n;' },
  { written: 'targets = new Texture*[n];', read: 'targets = new Texture [n];' },
  { written: 'delete[](char*)bytes;', read: 'delete[] bytes;' },
  { written: 'glCheck(GLuint id = glCreateShader(kind));', read: 'glCheck( id = glCreateShader(kind));' },
  { written: 'step RUN_KERNEL(grid, block, 0, stream)(a, n);', read: `step${'$'.repeat(11)}(grid, block, 0, stream)(a, n);`, file: 'a.cu' },
  { written: 'if (n) ns::tile<float, 4> GPU_LAUNCH (g(n), 1) (a);', read: `if (n) ns::tile$float$$4$${'$'.repeat(12)}(g(n), 1) (a);`, file: 'a.cu' },
  { written: 'UTIL_TRY { count(); } UTIL_CATCH(const Lost& lost) { count(); }', read: 'try { count(); } catch (const Lost& lost) { count(); }' },
  {
    written: 'UTIL_TRY {\n    count();\n  }\n  UTIL_CATCH(Lost& lost, {\n    puts("})");\n  });',
    read: 'try { count(); } catch (Lost& lost) { puts("})"); } ;',
  },
  { written: 'UTIL_TRY { count(); }\n  UTIL_CATCH(...) { count(); }\n  UTIL_CATCH_END', read: 'try { count(); } catch (...) { count(); }' },
];

const around = (written: string, isFaulty: boolean) => `
VkResult take(VkDevice device, VkSemaphore semaphore, int fd) {
  ${written}
  VkImportSemaphoreFdInfoKHR info = {};
  info.semaphore = semaphore;
  info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  info.fd = fd;
  if (vkImportSemaphoreFdKHR(device, &info) == VK_SUCCESS)${isFaulty ? ' {' : ' return VK_SUCCESS;'}
    close(fd);
  ${isFaulty ? '}' : ''}
  return VK_ERROR_UNKNOWN;
}
`;

const words = (text: string) => text.replace(/\s+/g, ' ').trim();

describe.each(spellings)('$written', ({ written, read, file = 'a.cpp' }) => {
  const isC = file === 'a.c';

  it('is read at the same places', () => {
    const text = `{\n  ${written}\n`;
    const plain = viewOf(text, isC);
    expect(words(plain)).toBe(words(`{ ${read}`));
    expect(plain.length).toBe(text.length);
    expect(new ViewMemo(isC).of(text)).toBe(plain);
  });

  it('stands in no way: the function parses, its fault is found, and its clean twin is silent', () => {
    const faulty = around(written, true);
    expect(facts(file, faulty).functions.map(({ name, degraded }) => [name, degraded])).toContainEqual(['take', undefined]);
    const line = faulty.split('\n').findIndex((each) => each.includes('close(fd)')) + 1;
    expect(lintText(file, faulty).map((finding) => [finding.ruleId, finding.line])).toEqual([['fd/use-after-transfer', line]]);
    expect(lintText(file, around(written, false))).toEqual([]);
  });
});

it.each([
  'extern "C" VkResult f();\n',
  '#include "a.h"\nSETTINGS;\n',
  '  f(sizeof(struct a), (struct b *)p, offsetof(struct c, d));\n',
  '  T t = {.a = 1, .b = (T) { .c = 2 }};\n',
  '  x = std::tuple<int, int>(1, 2);\n',
  '  CHECK(a)\n      .then(b);\n',
  '  CHECK(a) << "text";\n',
  '  IF_FAILED(a)\n    return;\n',
  '  for (i = 0; i < count();) i++;\n',
  '  f(a /* (return it) */, ", return"); return (x);\n',
  '  f(a, [&] { g(); return x; });\n',
  '  f(a; return x;\n  }\n',
  '  f(a; // g(0, it\n  return std::pair<int, int>(1, 2);\n',
  '  puts("ERROR: no device " L"wide");\n',
  '  RETURN_EARLY\n}\n',
  'enum Kind {\n  ONLY\n};\n',
  'class A {\n  RESULT\n  get(int x) const;\n',
  'void GPU_KERNEL(step, fast)(float* x);\n',
  '  step RUN_KERNEL(1)(x);\n',
  '  UTIL_TRY { f(); } UTIL_FINALLY { g(); }\n',
  '  x = {\n    FIXED(1)\n  };\n',
  'class UUID {\n  UUID(const char* text, int n = 3);\n',
  '  MAX(a * b, c);\n',
  'void f(int, Item*, size_t n);\n',
  'Item& Item::operator=(const Item& other) {\n',
  '  T a = {}, b = {};\n',
  '  n = table[i](x) + f(a, b{c}, d);\n',
  '  a.b{1};\n',
  '  attachment = VK_ATTACHMENT_UNUSED;\n',
  '  f("PRIME", "a PRIu64");\n',
  '  this->next = new T[3];\n',
])('leaves %j alone', (text) => {
  expect(viewOf(text, false)).toBe(text);
});
