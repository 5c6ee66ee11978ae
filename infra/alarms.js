// osls reads no TypeScript here; Node 24, which the npm scripts use, reads the file behind this one.
export { resources } from './alarms.ts';
