import { trace, type Tracer, type TracerProvider } from "@opentelemetry/api";
import { SCOPE } from "./scope.js";

/** What the API's provider can tell that stands for one that may be registered later. */
interface Proxy extends TracerProvider {
  getDelegateTracer(name: string, version?: string): Tracer | undefined;
}

/**
 * The tracer of the SDK that is registered now; `undefined` where none is. Asked for anew by each call: a tracer that is
 * kept would not see an SDK that another copy of the API registers after the saver was made.
 */
export function currentTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  return isProxy(provider)
    ? provider.getDelegateTracer(SCOPE.name, SCOPE.version)
    : provider.getTracer(SCOPE.name, SCOPE.version);
}

// By what it can do, since it may come from another copy of the API.
function isProxy(provider: TracerProvider): provider is Proxy {
  return "getDelegateTracer" in provider;
}
