// SARIF 2.1.0 for code scanning. Pure: paths arrive as URIs.
import type * as Sarif from 'sarif';
import type { Finding, Range } from '../engine';
import type { Rule, RuleMeta } from '../rules/rule';

export interface SarifFinding {
  readonly finding: Finding;
  /** Relative to the root of the sources, percent-encoded. */
  readonly uri: string;
  readonly fingerprint: string;
  /** `inSource`: a comment; `external`: the baseline. */
  readonly suppression?: { readonly kind: 'inSource' | 'external'; readonly reason: string } | undefined;
}

export interface SarifRun {
  readonly version: string;
  readonly rules: readonly Rule[];
  /** The rule's page in Markdown, without heading comment. */
  page(ruleId: string): string | undefined;
  pageUrl(ruleId: string): string;
  readonly findings: readonly SarifFinding[];
  /** What could not be done: crashed rules, unreadable files. */
  readonly notes: readonly string[];
}

const levels = { error: 'error', warning: 'warning', info: 'note' } as const;

export function sarifReport(run: SarifRun): string {
  const log: Sarif.Log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Seamscope',
            semanticVersion: run.version,
            informationUri: 'https://github.com/seamscope/seamscope',
            rules: run.rules.map((rule) => descriptor(rule.meta, run)),
          },
        },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { '%SRCROOT%': { description: { text: 'The folder in which the command ran.' } } },
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: run.notes.map((text) => ({ level: 'warning', message: { text } })),
          },
        ],
        results: run.findings.map((each) => result(each, run.rules)),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function descriptor(meta: RuleMeta, run: SarifRun): Sarif.ReportingDescriptor {
  const page = run.page(meta.id);
  const name = meta.id.replace(/(?:^|[/-])(\w)/g, (_, letter: string) => letter.toUpperCase());
  return {
    id: meta.id,
    name,
    shortDescription: { text: meta.summary },
    fullDescription: { text: meta.summary },
    helpUri: run.pageUrl(meta.id),
    ...(page !== undefined && { help: { text: page, markdown: page } }),
    defaultConfiguration: { level: levels[meta.severity], enabled: meta.group === 'stable' },
    properties: {
      precision: meta.precision === 'certain' ? 'very-high' : 'high',
      'problem.severity': meta.severity === 'info' ? 'recommendation' : meta.severity,
      tags: ['gpu-interop', meta.id.split('/')[0]!, `tier-${meta.tier}`],
      fix: meta.fix,
      group: meta.group,
    },
  };
}

function result({ finding, uri, fingerprint, suppression }: SarifFinding, rules: readonly Rule[]): Sarif.Result {
  const here = location(uri, finding, finding.message);
  return {
    ruleId: finding.ruleId,
    ruleIndex: rules.findIndex((rule) => rule.meta.id === finding.ruleId),
    level: levels[finding.severity],
    message: { text: finding.message },
    locations: [{ ...location(uri, finding), ...logical(finding) }],
    partialFingerprints: { 'seamscope/v1': fingerprint },
    ...(finding.related.length > 0 && {
      relatedLocations: finding.related.map((each, id) => ({ id, ...location(uri, each, each.message) })),
      codeFlows: [
        { threadFlows: [{ locations: [...finding.related.map((each) => ({ location: location(uri, each, each.message) })), { location: here }] }] },
      ],
    }),
    suppressions: suppression ? [{ kind: suppression.kind, status: 'accepted', justification: suppression.reason }] : [],
  };
}

function logical({ scope }: Finding): Pick<Sarif.Location, 'logicalLocations'> {
  return scope === '' ? {} : { logicalLocations: [{ fullyQualifiedName: scope, kind: 'function' }] };
}

function location(uri: string, { line, column, endLine, endColumn }: Range, text?: string): Sarif.Location {
  return {
    physicalLocation: {
      artifactLocation: { uri, ...(/^[a-z]+:/.test(uri) ? {} : { uriBaseId: '%SRCROOT%' }) },
      region: { startLine: line, startColumn: column, endLine, endColumn },
    },
    ...(text !== undefined && { message: { text } }),
  };
}
