import { useEffect, useRef } from 'react';

/** As the document is called before any page is shown. */
const APPLICATION = document.title;

/** The heading of the whole page. Tabs, bookmarks and screen readers know the page by it too. */
export function Heading({ children }: Readonly<{ children: React.ReactNode }>) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const text = heading.current?.textContent ?? '';
    document.title = text === '' || text === APPLICATION ? APPLICATION : `${text} – ${APPLICATION}`;
    // The next page may have to load before it has a heading.
    return () => void (document.title = APPLICATION);
  }, [children]);
  return <h1 ref={heading}>{children}</h1>;
}
