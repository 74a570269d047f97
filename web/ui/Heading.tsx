import { useEffect, useRef } from 'react';

/** The document's title before any page is shown. */
const APPLICATION = document.title;

/** The page's main heading. It also sets the title that tabs, bookmarks and screen readers use. */
export function Heading({ children }: Readonly<{ children: React.ReactNode }>) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const text = heading.current?.textContent ?? '';
    document.title = text === '' || text === APPLICATION ? APPLICATION : `${text} – ${APPLICATION}`;
    // The next page may have to load before it has a heading: until then the application's title is shown.
    return () => void (document.title = APPLICATION);
  }, [children]);
  return <h1 ref={heading}>{children}</h1>;
}
