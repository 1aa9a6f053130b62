/** Language ids whose files the lint server reads. All are VS Code's own: `.cu` and `.cuh` are `cuda-cpp`. */
export const lintLanguages = ['c', 'cpp', 'cuda-cpp', 'objective-c', 'objective-cpp', 'python'] as const;
