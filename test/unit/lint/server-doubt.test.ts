// A tree that follows edits may keep an error that the text has no more: what its author sees becomes right when they pause.
import { expect, it, vi } from 'vitest';
import { LspSession } from './lsp-session';

const uri = 'file:///project/doubt.cpp';
/** The parser's recovery from a quote in the constructor goes wrong for good. */
const text = `class Importer {
 public:
  explicit Importer(const uint8_t* uuid) { std::memcpy(id_.data(), uuid, 16); }
  ~Importer() { cudaDestroyExternalMemory(memory_); }
  bool open(const cudaExternalMemoryHandleDesc& desc) { ((0)); return cudaImportExternalMemory(&memory_, &desc) == cudaSuccess; }
 private:
  std::array<uint8_t, 16> id_{};
  cudaExternalMemory_t memory_;
};
`;

const session = new LspSession();
const change = (version: number, range: object, by: string) =>
  session.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ range, text: by }] });

it('a text that is mended has its findings again', async () => {
  await session.start();
  await session.open(uri, text);
  expect(await session.codes(uri)).toEqual(['teardown/not-idempotent']);
  const at = { line: 2, character: 31 };
  await change(2, { start: at, end: at }, '"');
  await session.codes(uri);
  await change(3, { start: at, end: { line: 2, character: 32 } }, '');
  expect(await session.codes(uri), 'the fault of the parser that this is about').toEqual([]);
  await vi.waitFor(() => expect(session.refreshes).toBe(1), { timeout: 20_000 });
  expect(await session.codes(uri)).toEqual(['teardown/not-idempotent']);
});
