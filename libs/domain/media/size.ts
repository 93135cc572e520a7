/** Pixels, as they are to be seen. */
export interface Size {
  readonly width: number;
  readonly height: number;
}
