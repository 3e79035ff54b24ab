/**
 * What Lockstep uses of `@opentelemetry/api`: its `import * as opentelemetry` fits as it is. The types are described here and
 * not imported, so that nobody has to install them without using OpenTelemetry.
 */
export interface Telemetry {
  readonly trace: {
    getTracer(name: string, version?: string): TelemetryTracer;
    setSpan(context: TelemetryContext, span: TelemetrySpan): TelemetryContext;
  };
  readonly context: {
    with<Result>(context: TelemetryContext, work: () => Result): Result;
  };
  readonly metrics: {
    getMeter(name: string, version?: string): TelemetryMeter;
  };
  readonly ROOT_CONTEXT: TelemetryContext;
  isSpanContextValid(spanContext: TelemetrySpanContext): boolean;
  createNoopMeter(): unknown;
}

/** Opaque to us: handed from one call to the next. */
export type TelemetryContext = unknown;

export type TelemetryAttributes = Record<string, string | number | boolean>;

export interface TelemetrySpanContext {
  traceId: string;
  spanId: string;
  traceFlags: number;
  isRemote?: boolean;
}

export interface TelemetryTracer {
  startSpan(
    name: string,
    options: {
      kind: number;
      attributes: TelemetryAttributes;
      links?: { context: TelemetrySpanContext }[];
      root?: boolean;
      startTime?: Date;
    },
    context?: TelemetryContext,
  ): TelemetrySpan;
}

export interface TelemetrySpan {
  spanContext(): TelemetrySpanContext;
  setAttribute(name: string, value: string | number | boolean): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  recordException(exception: { name: string; message: string; stack?: string }): void;
  end(endTime?: Date): void;
}

export interface TelemetryMeter {
  createCounter(
    name: string,
    options: InstrumentOptions,
  ): { add(value: number, attributes: TelemetryAttributes): void };
  createHistogram(
    name: string,
    options: InstrumentOptions,
  ): { record(value: number, attributes: TelemetryAttributes): void };
  createObservableGauge(name: string, options: InstrumentOptions): TelemetryGauge;
}

export interface TelemetryGauge {
  addCallback(callback: GaugeCallback): void;
  removeCallback(callback: GaugeCallback): void;
}

export type GaugeCallback = (result: {
  observe(value: number, attributes: TelemetryAttributes): void;
}) => void;

export interface InstrumentOptions {
  readonly description: string;
  readonly unit: string;
  readonly advice?: { explicitBucketBoundaries?: number[] };
}
