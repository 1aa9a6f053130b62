export type * from './events';
export type * from './expr';
export type * from './file';
export type * from './functions';
