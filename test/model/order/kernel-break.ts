// One broken line of the order's kernel.

/** One line broken: what stands there once, and what stands there instead. */
export interface Break {
  readonly law: 'L1' | 'L2' | 'L3' | 'L4' | 'L5' | 'L6' | 'L7';
  readonly name: string;
  readonly file: 'attribute.ts' | 'facts.ts' | 'fold.ts' | 'next.ts' | 'record.ts';
  readonly replace: string;
  readonly by: string;
}

/** The file's text with the line broken. */
export function withBreak(text: string, { file, replace, by, name }: Break): string {
  if (text.split(replace).length !== 2)
    throw new Error(`"${name}" names a line that is not in ${file} exactly once: ${replace}`);
  return text.replace(replace, () => by);
}
