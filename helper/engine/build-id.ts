declare const SEAMSCOPE_NATIVE_BUILD_ID: string | undefined;

/** Which native sources lay beside this code when it was bundled; empty where it runs unbundled. The addon carries the same. */
export const NATIVE_BUILD_ID = typeof SEAMSCOPE_NATIVE_BUILD_ID === 'string' ? SEAMSCOPE_NATIVE_BUILD_ID : '';
