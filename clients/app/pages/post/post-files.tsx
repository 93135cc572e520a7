import type { MediaBody } from '#domain/post/render.ts';

/** Pictures, and videos that can be played, in their order. */
export interface PostFilesProps {
  readonly files: readonly MediaBody[];
  /** Nothing of the Post is to be published any more, so that no file is awaited. */
  readonly isOver: boolean;
}

export function PostFiles({ files, isOver }: PostFilesProps) {
  if (files.length === 0) return null;
  return (
    <ol className="post-files" aria-label="Files">
      {files.map((file, index) => (
        <li key={file.id}>
          <figure>
            <File file={file} number={index + 1} isOver={isOver} />
            <figcaption>
              {file.altText === null || file.altText === '' ? (
                <span className="post-soft">No description</span>
              ) : (
                <span dir="auto">{file.altText}</span>
              )}
            </figcaption>
          </figure>
        </li>
      ))}
    </ol>
  );
}

interface FileProps extends Pick<PostFilesProps, 'isOver'> {
  readonly file: MediaBody;
  readonly number: number;
}

function File({ file: { kind, url, altText }, number, isOver }: FileProps) {
  const name = `${kind === 'image' ? 'Picture' : 'Video'} ${number}`;
  if (url === null)
    return (
      <p className="post-file-waiting">
        {name} {isOver ? 'is not shown any more' : 'has not arrived yet'}
      </p>
    );
  if (kind === 'image') return <img src={url} alt={altText ?? name} loading="lazy" />;
  return <video src={url} controls preload="metadata" aria-label={altText ?? name} />;
}
