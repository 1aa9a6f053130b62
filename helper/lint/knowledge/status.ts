// Success constants of the status types.
import { own } from '../own';

const success = new Set([
  'CUDA_SUCCESS',
  'cudaSuccess',
  'VK_SUCCESS',
  'hipSuccess',
  'NVML_SUCCESS',
  'NVDS_SUCCESS',
  'S_OK',
  'EGL_TRUE',
  'GL_TRUE',
  'GL_NO_ERROR',
]);

/** True for a constant that means success, written in any way: `vk::Result::eSuccess`, `CUresult::CUDA_SUCCESS`. */
export function isSuccessConstant(written: string): boolean {
  const last = written.split(/::|\./).at(-1)!;
  return success.has(last) || (last === 'eSuccess' && /Result/.test(written));
}

/** True for a constant of a status type that means something else than success. */
export function isFailureConstant(written: string): boolean {
  const last = written.split(/::|\./).at(-1)!;
  return /^(CUDA_ERROR_|cudaError[A-Z]|VK_ERROR_|hipError[A-Z]|NVML_ERROR_)/.test(last) || /Result::eError/.test(written);
}

const successes: Readonly<Record<string, string>> = { CUresult: 'CUDA_SUCCESS', cudaError: 'cudaSuccess', VkResult: 'VK_SUCCESS' };

/** The success constant of a status type. */
export function successOf(result: string | undefined): string | undefined {
  return result === undefined ? undefined : own(successes, result);
}
