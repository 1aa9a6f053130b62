import { contextStack } from '../analyses/device-context-stack';
import { fdOwnership } from '../analyses/fd-ownership';
import { managedTensor } from '../analyses/managed-tensor';
import type { Machine } from '../flow/machine';

/** Machines whose effects are told across files: those whose objects lie in parameters, results and fields, or that tell themselves. */
export const machines: readonly Machine[] = [fdOwnership, managedTensor, contextStack];
