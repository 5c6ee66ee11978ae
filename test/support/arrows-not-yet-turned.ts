// Imports that run against the order of rooms, each to be turned by gates and by types in the room that owns them.
export const notYet: ReadonlySet<string> = new Set([]);
