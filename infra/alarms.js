// What osls can read: it takes no TypeScript here. Node 24, which npm scripts bring, reads the file behind it.
export { resources } from './alarms.ts';
