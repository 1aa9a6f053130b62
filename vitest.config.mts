import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{unit,architecture,shipping}/**/*.test.ts'],
    // Two cores are the smallest machine that runs the tests; helpers are processes of their own.
    maxWorkers: 2,
    testTimeout: 30_000,
  },
});
