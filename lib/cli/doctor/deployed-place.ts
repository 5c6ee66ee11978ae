// In which network a deployed function is, beside the one in which its stack wants it: subnets and security groups can be changed
// by hand, and a function that was taken out of its network pays from an address that the gateway does not list.

/** The network in which functions are that have one by their template; no subnet where they are outside of any. */
export interface NetworkPlace {
  readonly SubnetIds: readonly string[];
  readonly SecurityGroupIds: readonly string[];
}

/** By the stack's own word (infra/network.yml). */
export function networkPlaceOf(
  parameters: readonly { readonly ParameterKey?: string | undefined; readonly ParameterValue?: string | undefined }[],
  made: ReadonlyMap<string, string | undefined>,
): NetworkPlace {
  const valueOf = (name: string) => parameters.find((it) => it.ParameterKey === name)?.ParameterValue ?? '';
  const ids = (...logicalIds: readonly string[]) => logicalIds.flatMap((it) => made.get(it) ?? []);
  const said = (name: string) => valueOf(name).split(',');
  switch (valueOf('Network')) {
    case 'made':
      return { SubnetIds: ids('PrivateSubnetA', 'PrivateSubnetB'), SecurityGroupIds: ids('FunctionsSecurityGroup') };
    case 'given':
      return { SubnetIds: said('SubnetIds'), SecurityGroupIds: said('SecurityGroupIds') };
    default:
      return { SubnetIds: [], SecurityGroupIds: [] };
  }
}

/** Where a function is, as it is written while it is there; else the ids, or nothing where it is outside. */
export function presentPlace(
  present:
    | { readonly SubnetIds?: readonly string[] | undefined; readonly SecurityGroupIds?: readonly string[] | undefined }
    | undefined,
  written: unknown,
  wanted: NetworkPlace,
): unknown {
  const { SubnetIds = [], SecurityGroupIds = [] } = present ?? {};
  const text = (it: NetworkPlace) => JSON.stringify([it.SubnetIds.toSorted(), it.SecurityGroupIds.toSorted()]);
  const expected = written === undefined ? { SubnetIds: [], SecurityGroupIds: [] } : wanted;
  if (text({ SubnetIds, SecurityGroupIds }) === text(expected)) return written;
  return SubnetIds.length === 0 ? undefined : { SubnetIds, SecurityGroupIds };
}
