// Attribute macros between tokens of a declaration break the grammar; they mean nothing to any rule, so they are blanked.
import { blank } from './arms';

/** How each of them begins stands before all of them, so that most words are passed at once. */
const attributes =
  /\b(?=[A-Z_][A-Z0-9_])(?:(?:VKAPI_ATTR|VKAPI_CALL|VKAPI_PTR|VMA_CALL_PRE|VMA_CALL_POST|CUDART_CB|CUDAAPI|CUDA_CB|CUDARTAPI|APIENTRYP?|GLAPIENTRY|GLAPI|EGLAPIENTRYP?|EGLAPI|WINAPI|CALLBACK|__cdecl|__stdcall|__forceinline|__restrict__?|FORCEINLINE|GLFWAPI|STATIC(?=\s+[a-z])|__[A-Z]+_(?:HOST|DEVICE|INLINE)__|DLLEXPORT|DLLCALL|U_ASSERT_ONLY|MAYBE_UNUSED|ATTRIBUTE_UNUSED|_Thread_local|FAR(?=\s*\*)|__[A-Z0-9_]+_DECL__|G_GNUC_UNUSED|__maybe_unused|Q_EMIT|(?<=\w[ \t]+)(?<!\breturn[ \t]+)[A-Z][A-Z0-9_]*_UNUSED(?=\s*[=;,)[])|(?<=[;{}]\s+)[A-Z][A-Z0-9_]*_UNUSED(?=\s+[A-Za-z_])|(?<=[\w*>][ \t]+)(?<!\breturn[ \t]+)[A-Z_]*(?:API|API_CALL|APIENTRY|CALL_TYPE)(?=\s+[A-Za-z_]\w*\s*\()|[A-Z][A-Z0-9_]*_(?:API|EXPORT|EXPORTS|PUBLIC|FORCE_?INLINE|NODISCARD|DLL|(?:RUNTIME|INLINE|FORCEINLINE)_FUNCTION)(?=\s+[A-Za-z_~]))\b(?!\s*\()|(?:__align__\s*\([^()]*\)|(?:[A-Z]+_)?ALIGN(?:AS|ED)?\s*\(\s*\d+\s*\)(?=\s+[A-Za-z_]))|__declspec\s*\([^()]*\)|__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\))/g;

/** `__attribute__((cleanup(close_it))) int fd` is one that means something. The grammar knows it before the name of a variable only. */
const cleaning = /\b(?:__)?cleanup(?:__)?\b/;
const cleaningBehind = /__attribute__\s*\(\((\s*(?:__)?cleanup(?:__)?\s*\(\s*\w+\s*\)\s*)\)\)(?=\s*[=;,])/g;

export function blankAttributes(text: string): string {
  if (!text.includes('cleanup')) return text.replace(attributes, blank);
  const standard = text.replace(cleaningBehind, (written: string, attribute: string) => `[[${attribute.padEnd(written.length - 4)}]]`);
  return standard.replace(attributes, (written) => (cleaning.test(written) ? written : blank(written)));
}
