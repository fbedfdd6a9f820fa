/** An attribute in the JSON form of OTLP. The types of this file have only the fields that the page needs. */
interface Attribute {
  key: string;
  /** One field, whose name is the type of the value. */
  value: Readonly<Record<string, string | number | boolean>>;
}
interface Resource {
  attributes?: Attribute[];
}
/** A number, or a histogram with its buckets. */
interface DataPoint {
  attributes?: Attribute[];
  asInt?: number | string;
  asDouble?: number;
  count?: number | string;
  bucketCounts?: readonly (number | string)[];
  explicitBounds?: readonly number[];
}
interface DataPoints {
  dataPoints?: DataPoint[];
}
export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: Attribute[];
  events?: { name: string; timeUnixNano: string }[];
  status?: { code?: number };
}
export interface MetricsBody {
  resourceMetrics?: {
    resource?: Resource;
    scopeMetrics?: {
      metrics?: { name: string; sum?: DataPoints; gauge?: DataPoints; histogram?: DataPoints }[];
    }[];
  }[];
}
export interface TracesBody {
  resourceSpans?: { resource?: Resource; scopeSpans?: { spans?: Span[] }[] }[];
}

export type Labels = Readonly<Record<string, string>>;

/** Returns the service and the instance that sent telemetry. */
export function sourceOf(resource: Resource | undefined): { service: string; instance: string } {
  const { 'service.name': service = '', 'service.instance.id': instance = '' } = labelsOf(resource?.attributes);
  return { service: service.replace(/^svc-asr-/, ''), instance };
}

export function labelsOf(attributes: readonly Attribute[] = []): Labels {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0] ?? '')]));
}
