/** Says that something loads, if that takes more than a moment. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading" role="status">
      Loading {what}…
    </p>
  );
}
