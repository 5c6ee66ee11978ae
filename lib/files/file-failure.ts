// Faults of a person's own file, each with its remedy; a failure of AWS is none of them.
import { access, constants, readFile } from 'node:fs/promises';
import { UsageError } from './usage-error.ts';

/** A file that could not be written to its end; `message` names it. Exit code 1: what the command did before it may be done. */
export class FileWriteError extends Error {}

const words: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EEXIST: 'it is there already',
  EACCES: 'you have no right to it, or to its folder',
  EPERM: 'you have no right to it, or to its folder',
  EROFS: 'it is on a disk that can only be read',
  ENOSPC: 'the disk is full; free space and run the command again',
  EDQUOT: 'your share of the disk is full; free space and run the command again',
  EFBIG: 'it is larger than this disk takes',
  EMFILE: 'too many files are open',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
};

/** The system's own name of a failure, or a parser's. */
export function codeOfError(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

/** The reason as a text; a code without one is shown as it is. */
const why = (error: unknown) => words[codeOfError(error)] ?? codeOfError(error);

/** A file that was named on the command line and can't be read. */
export const unreadable = (path: string, error: unknown): UsageError =>
  new UsageError(`can't read ${path}: ${why(error)}`);

/** Before anything else is asked: a file that is not there. "-" is standard input. Throws UsageError. */
export async function checkReadable(path: string): Promise<void> {
  if (path !== '-')
    await access(path, constants.R_OK).catch((error: unknown) => {
      throw unreadable(path, error);
    });
}

/** A file that was named on the command line and can't be made. */
export const unwritable = (path: string, error: unknown): UsageError =>
  new UsageError(`can't write ${path}: ${why(error)}`);

/** A file that could be made, and could not be written to its end. */
export const cutShort = (path: string, error: unknown): FileWriteError =>
  new FileWriteError(`could not write ${path}: ${why(error)}`);

/** The value of a file of JSON; undefined if it is no JSON. Throws UsageError if the file can't be read. */
export async function jsonFile(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw unreadable(path, error);
  });
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
