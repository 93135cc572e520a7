import './skeleton.css';

export interface SkeletonProps {
  /** What is being loaded: "Loading Channels". */
  readonly label: string;
  /** Default: 4. */
  readonly lines?: number;
}

/** In the place of what is being loaded, so that nothing jumps when it comes. */
export function Skeleton({ label, lines = 4 }: SkeletonProps) {
  return (
    <div className="skeleton" role="status">
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} className="skeleton-line" aria-hidden="true" />
      ))}
    </div>
  );
}
