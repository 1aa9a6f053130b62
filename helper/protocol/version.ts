/** Version of every boundary between the extension, its helpers and the webviews. Two sides that differ refuse each other by name. */
export const PROTOCOL_VERSION = 1;
