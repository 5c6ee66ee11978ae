// Which metrics alarms and the dashboard name, so that a name without a source is found, and a figure that nobody sees.
import { ofType, stage } from './fragments.ts';

/** A metric as CloudWatch knows it. */
export interface MetricNamed {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: readonly string[];
  readonly where: string;
}

/** The namespace of the worker's own figures. */
export const ownNamespace = `Payouts/${stage}`;

interface Stat {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
}

/** Every metric that an alarm names. */
export function metricsOfAlarms(): MetricNamed[] {
  return ofType('alarms.yml', 'AWS::CloudWatch::Alarm').flatMap(([where, properties]) => {
    const { Metrics = [], ...single } = properties as unknown as Stat & {
      readonly Metrics?: readonly { readonly MetricStat?: { readonly Metric: Stat } }[];
    };
    const stats = Metrics.flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Metric] : []));
    return (stats.length > 0 ? stats : [single]).map((it) => ({
      namespace: it.Namespace,
      name: it.MetricName,
      dimensions: (it.Dimensions ?? []).map(({ Name }) => Name),
      where,
    }));
  });
}

/** One widget of the dashboard. */
export interface Widget {
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: {
    readonly title: string;
    readonly region?: string;
    readonly alarms?: readonly string[];
    readonly metrics?: readonly (readonly (string | Readonly<Record<string, string>>)[])[];
  };
}

/** Of what a parameter may leave out, all; of any other value its name. */
function textWhere(value: unknown, name: string): string {
  const [, there] =
    (value as { readonly 'Fn::If'?: readonly [string, { readonly 'Fn::Sub': string }] })['Fn::If'] ?? [];
  return there?.['Fn::Sub'] ?? `\${${name}}`;
}

/** The widgets of the dashboard, CloudFormation's placeholders left standing. */
export function widgets(): readonly Widget[] {
  const [body] = ofType('dashboard.yml', 'AWS::CloudWatch::Dashboard').map(([, it]) => it['DashboardBody']);
  const [text, values] = (body as { readonly 'Fn::Sub': readonly [string, Readonly<Record<string, unknown>>] })[
    'Fn::Sub'
  ];
  const whole = Object.entries(values).reduce(
    (it, [name, value]) => it.replace(`\${${name}}`, textWhere(value, name)),
    text,
  );
  return (JSON.parse(whole) as { readonly widgets: readonly Widget[] }).widgets;
}

/** Every metric that a widget names, in a row or in a search. */
export function metricsOfDashboard(): MetricNamed[] {
  return widgets().flatMap(({ properties: { title: where, metrics = [] } }) =>
    metrics.flatMap((row) => {
      const texts = row.filter((it): it is string => typeof it === 'string');
      const [namespace, name, ...rest] = texts;
      if (namespace !== undefined && name !== undefined)
        return [{ namespace, name, dimensions: rest.filter((_, index) => index % 2 === 0), where }];
      const { expression = '' } = row.find((it) => typeof it === 'object') ?? {};
      const search = /SEARCH\('\{([^,}]+),(\w+)\} MetricName="(\w+)"'/.exec(expression);
      return search
        ? [{ namespace: search[1] ?? '', name: search[3] ?? '', dimensions: [search[2] ?? ''], where }]
        : [];
    }),
  );
}
