/** Snippet files by language id; scripts/generate-snippets.mjs writes them from snippets/src. CUDA code takes those of C++ too. */
export const snippets = [
  { language: 'cpp', path: './snippets/cpp.json' },
  { language: 'cuda-cpp', path: './snippets/cpp.json' },
  { language: 'cuda-cpp', path: './snippets/cuda-cpp.json' },
  { language: 'objective-cpp', path: './snippets/objective-cpp.json' },
  { language: 'python', path: './snippets/python.json' },
];
