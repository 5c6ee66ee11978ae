// The one error of the tool's own.

/** A command line or input that can't be followed; `message` names what to correct. Exit code 2. */
export class UsageError extends Error {}
