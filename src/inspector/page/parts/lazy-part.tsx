import { useQuery } from "@tanstack/preact-query";
import type { ComponentType } from "preact";
import { partQuery } from "../server/load-part.js";
import { Failure } from "./failure.js";
import { Loading } from "./loading.js";

/**
 * Returns a component that loads another one when it is shown. A failure is shown in its place, with a way to try again.
 *
 * @param name - Tells the part from others.
 * @param what - What is being loaded, such as `the page`.
 */
export function lazyPart<Props extends object>(
  name: string,
  what: string,
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  return function LazyPart(props: Props) {
    const { data: Part, error, refetch } = useQuery(partQuery(name, load));
    if (Part !== undefined) return <Part {...props} />;
    if (error === null) return <Loading what={what} />;
    return <Failure error={error} onRetry={() => void refetch()} />;
  };
}
