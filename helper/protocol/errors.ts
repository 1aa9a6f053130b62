/** Error codes of the engine's RPC beside JSON-RPC's own, and what every error carries for the user. */
export const EngineErrorCode = {
  /** The two sides speak different protocol versions. */
  protocolMismatch: 1001,
  /** A request before `initialize`. */
  notInitialized: 1002,
  /** The addon is missing, so nothing native works. */
  addonMissing: 1003,
  /** A request named a view or a source that does not exist, or has a parameter out of range. */
  invalidParams: 1004,
  /** The engine's own work did not end in time. */
  timedOut: 1005,
  /** The addon or a driver reported a failure. */
  failed: 1006,
  /** The engine is shutting down. */
  closing: 1007,
} as const;

/** `data` of every error reply. */
export interface ErrorData {
  nextStep: string;
}
