/** Does something after a while. The returned function calls it off, as an effect of a component needs it. */
export function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => {
    clearTimeout(timer);
  };
}

type Heard = WindowEventMap & DocumentEventMap;

/** Listens to events of a target. The returned function ends that. */
export function listen<Type extends keyof Heard>(
  target: EventTarget,
  types: readonly Type[],
  heard: (event: Heard[Type]) => void,
): () => void {
  const listener = heard as EventListener;
  for (const type of types) target.addEventListener(type, listener, { passive: type === "scroll" });
  return () => {
    for (const type of types) target.removeEventListener(type, listener);
  };
}
