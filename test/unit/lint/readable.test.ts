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
  { written: 'p = member(p, 8, uint8_t);', read: 'p = member(p, 8, uint8_T);' },
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
  { written: 'CHECK(count(););', read: 'CHECK(count());' },
  { written: 'int rc MAYBE_UNUSED = count();', read: 'int rc = count();' },
  { written: 'if (client == GL_NO_API) use(MEM_MAP_EXPORT, client);', read: 'if (client == GL_NO_API) use(MEM_MAP_EXPORT, client);' },
  { written: 'list_for_each(item, &all, link)\n    if (item) count();', read: 'while(or_each(item, &all, link)\n )if (item) count();' },
  { written: 'dlist_foreach_safe(&l, struct item, e, m) {\n  }', read: 'while(foreach_safe(&l, item, e, m)){\n  }' },
  { written: 'struct item* new = make(sizeof(*new)); // new', read: 'struct item* neW = make(sizeof(*neW)); // new', file: 'a.c' },
  { written: 'each(n, [n] __device__(float v) { return v; });', read: 'each(n, [n] (float v) { return v; });', file: 'a.cu' },
  { written: 'log(typeid(decltype(this)).name());', read: 'log(typeid(type_of_(this)).name());' },
  { written: 'targets = new Texture*[n];', read: 'targets = new Texture [n];' },
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
  '  puts("ERROR: no device " L"wide");\n',
  '  a.b{1};\n',
  '  attachment = VK_ATTACHMENT_UNUSED;\n',
  '  f("PRIME", "a PRIu64");\n',
  '  this->next = new T[3];\n',
])('leaves %j alone', (text) => {
  expect(viewOf(text, false)).toBe(text);
});
