import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Overview } from "../../api/inspector-api.js";

/** What the page knows about the saver. */
export const OverviewContext = createContext<Overview | undefined>(undefined);

/** Returns what the page knows about the saver. Only for what {@link OverviewContext} surrounds. */
export function useOverview(): Overview {
  const overview = useContext(OverviewContext);
  if (overview === undefined) throw new Error("the overview is not there yet");
  return overview;
}
