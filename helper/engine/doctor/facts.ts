/** What the checks read: a snapshot, the environment it was taken in, and the files that no driver tells of. */
import type { DeviceSnapshot, Reason, ReasonCode } from '../../protocol/devices';
import type { Env } from '../driver-files';
import type { SystemFacts } from './system-facts';

interface Problem {
  message: string;
  nextStep: string;
}

export interface DoctorFacts {
  engine: { version: string; addonPath: string; addonProblem?: Problem; addonStale?: Problem };
  snapshot: DeviceSnapshot;
  env: Env;
  system: SystemFacts;
}

/** Every reason in the snapshot, wherever it stands. */
export function reasonsOf({ vulkan, cuda, nvml, matches }: DeviceSnapshot): Reason[] {
  const parts = [vulkan.reason, cuda.reason, nvml.reason].filter((reason) => reason !== undefined);
  const devices = [...nvml.gpus.flatMap(({ problems }) => problems), ...cuda.devices.flatMap(({ problems = [] }) => problems)];
  return [...parts, ...devices, ...matches.flatMap(({ reasons }) => reasons)];
}

export function reasonsWith(snapshot: DeviceSnapshot, ...codes: ReasonCode[]): Reason[] {
  const all = reasonsOf(snapshot).filter(({ code }) => codes.includes(code));
  return all.filter(({ message }, index) => all.findIndex((other) => other.message === message) === index);
}

/** The driver's own words, a line each. */
export function wordsOf(reasons: Reason[]): string[] {
  return reasons.flatMap(({ message, detail }) => [message, ...(detail ? detail.split('\n') : [])]);
}

/** An NVIDIA driver is at work, whatever else fails. */
export function hasNvidia({ cuda, nvml, environment }: DeviceSnapshot): boolean {
  return cuda.available || nvml.gpus.length > 0 || environment.kernelDriverVersion !== undefined;
}

/** Manifests that belong to NVIDIA's Vulkan driver. */
export function nvidiaManifests({ environment }: DeviceSnapshot): DeviceSnapshot['environment']['icdFiles'] {
  return environment.icdFiles.filter(isForNvidia);
}

export function isForNvidia({ path, library }: { path: string; library?: string }): boolean {
  return /nvidia/i.test(`${path} ${library ?? ''}`);
}

export function variable(env: Env, name: string): string[] {
  return env[name] === undefined ? [`${name} is not set`] : [`${name}=${env[name]}`];
}
