/** A binary heap of up to `capacity` numbers (32-bit integers); `pop` takes out the smallest. */
export function minHeap(capacity: number): { push(value: number): void; pop(): number | undefined } {
  const heap = new Int32Array(capacity);
  const at = (index: number): number => heap[index] ?? 0;
  let size = 0;
  return {
    push(value) {
      let hole = size++;
      for (let parent = (hole - 1) >> 1; hole > 0 && at(parent) > value; parent = (hole - 1) >> 1) {
        heap[hole] = at(parent);
        hole = parent;
      }
      heap[hole] = value;
    },
    pop() {
      if (size === 0) return undefined;
      const top = at(0);
      const last = at(--size);
      let hole = 0;
      for (let child = 1; child < size; child = 2 * hole + 1) {
        if (child + 1 < size && at(child + 1) < at(child)) child++;
        if (at(child) >= last) break;
        heap[hole] = at(child);
        hole = child;
      }
      heap[hole] = last;
      return top;
    },
  };
}
