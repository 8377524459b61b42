import { trace, type Tracer, type TracerProvider } from "@opentelemetry/api";
import { SCOPE } from "./scope.js";

/** The API's provider, which delegates to one that may be registered later. */
interface Proxy extends TracerProvider {
  getDelegateTracer(name: string, version?: string): Tracer | undefined;
}

/**
 * The tracer of the registered SDK; `undefined` where none is registered. Every call asks again: a cached
 * tracer would miss an SDK that another copy of the API registers after the saver was created.
 */
export function currentTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  return isProxy(provider)
    ? provider.getDelegateTracer(SCOPE.name, SCOPE.version)
    : provider.getTracer(SCOPE.name, SCOPE.version);
}

// Checks for the member, since the provider may come from another copy of the API.
function isProxy(provider: TracerProvider): provider is Proxy {
  return "getDelegateTracer" in provider;
}
