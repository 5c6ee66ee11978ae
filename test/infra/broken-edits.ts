// How a template is broken.

/** A template as it is read from its file. */
export type Template = {
  Parameters?: Record<string, Record<string, unknown>>;
  StackPolicy?: unknown;
  Resources: Record<string, { Type: string; Properties: Record<string, unknown> } & Record<string, unknown>>;
};

/** One broken template. */
export interface BrokenStack {
  readonly story: string;
  /** The rule that refuses it; without one it is the comparison with what ships. */
  readonly rule?: string;
  /** The start of what that rule says. */
  readonly says?: string;
  readonly edit: (template: Template) => void;
}

/** Sets a property, or takes it away with `undefined`. */
export const set = (logicalId: string, path: string, value: unknown) => (template: Template) => {
  const names = path.split('.');
  const last = names.pop() ?? '';
  let at = template.Resources[logicalId]?.Properties as Record<string, unknown>;
  for (const name of names) at = at[name] as Record<string, unknown>;
  if (value === undefined) delete at[last];
  else at[last] = value;
};
/** Sets an attribute beside the properties. */
export const attribute = (logicalId: string, name: string, value: unknown) => (template: Template) => {
  Object.assign(template.Resources[logicalId] ?? {}, { [name]: value });
};
/** Has a setting of every function name another table of the stack. */
export const settingTo = (setting: string, logicalId: string) => (template: Template) => {
  for (const it of Object.values(template.Resources)) {
    const { Variables } = (it.Properties['Environment'] ?? {}) as { Variables?: Record<string, unknown> };
    if (Variables?.[setting]) Variables[setting] = { Ref: logicalId };
  }
};
/** Gives a parameter of the template a value. */
export const value = (parameter: string, Default: string) => (template: Template) => {
  Object.assign(template.Parameters?.[parameter] ?? {}, { Default });
};
/** Takes a resource away. */
export const remove = (logicalId: string) => (template: Template) => delete template.Resources[logicalId];
/** Puts another statement into a role's policy. */
export const allow = (role: string, statement: object) => (template: Template) => {
  const policies = template.Resources[role]?.Properties['Policies'] as Policy[] | undefined;
  policies?.[0]?.PolicyDocument.Statement.push({ Effect: 'Allow', ...statement });
};
/** Puts another statement into a queue's policy. */
export const allowOnQueue = (policy: string, statement: object) => (template: Template) => {
  const { PolicyDocument } = (template.Resources[policy]?.Properties ?? {}) as Partial<Policy>;
  PolicyDocument?.Statement.push({ Effect: 'Allow', ...statement });
};

type Policy = { readonly PolicyDocument: { readonly Statement: object[] } };
