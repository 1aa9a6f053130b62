/** The answer to "why does it not work here": one check a cause, each with what was seen and the command that mends it. */

/** A closed list; every cause has a page of words in helper/doctor/checks. */
export type DoctorCheckId =
  | 'addon'
  | 'libraries' // the path of every driver library really opened
  | 'container-without-graphics'
  | 'icd-missing'
  | 'icd-library' // a manifest's library cannot be loaded: libXext and the like
  | 'icd-entry-point' // the GLX driver on a headless machine, or missing driver packages
  | 'driver-mismatch'
  | 'cpu-driver-only'
  | 'hidden-from-cuda'
  | 'cuda-without-vulkan'
  | 'partial-gpus' // enumeration fails with a subset of GPUs mapped in
  | 'max-connections'
  | 'validation-layers'
  | 'preload'
  | 'descriptor-limit'
  | 'wsl'
  | 'device-nodes'
  | 'mig-nodes'
  | 'compute-mode'
  | 'loader-filter'
  | 'cuda-init'
  | 'nvml'
  | 'gpu-health'
  | 'ordinal-pitfalls'
  | 'visible-devices'
  | 'driver-hangs';

export interface DoctorFix {
  /** One sentence in the imperative. */
  text: string;
  /** A shell command, when one does it. */
  command?: string;
}

export interface DoctorCheck {
  id: DoctorCheckId;
  title: string;
  /** found: the cause is at work here. not-asked: whoever could tell could not be asked, and the message says why. */
  status: 'found' | 'fine' | 'not-applicable' | 'not-asked';
  /** How much a finding matters: something broken, something that may be meant so, a plain fact. */
  severity: 'problem' | 'warning' | 'info';
  /** One sentence, with the actual values. */
  message: string;
  /** What was looked at: files, variables, the drivers' own words; one line each. */
  evidence: string[];
  /** At most one of them is needed. */
  fixes: DoctorFix[];
}

export interface DoctorReport {
  version: 1;
  /** ISO 8601. */
  takenAt: string;
  checks: DoctorCheck[];
}
