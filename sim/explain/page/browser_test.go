package page_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browsers are the names of Chromium on the path.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"}

// browser opens a page of 1280×800 pixels in a real, headless Chromium. Without one the
// test is skipped, unless CI=true asks for it. Whatever the page fetches, and every
// exception of its script, fails the test.
func browser(t testing.TB, file string) context.Context {
	t.Helper()
	program := ""
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil && program == "" {
			program = path
		}
	}
	if program == "" {
		message := fmt.Sprintf("no Chromium on the path (%s): the pages are not tested in a browser", strings.Join(browsers, ", "))
		if os.Getenv("CI") == "true" {
			t.Fatal(message)
		}
		t.Skip("NOT CHECKED: " + message)
	}
	folder := browserFolder(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WindowSize(1280, 800),
		chromedp.WSURLReadTimeout(time.Minute),
		chromedp.UserDataDir(filepath.Join(folder, "profile")), chromedp.Env("TMPDIR="+folder))
	allocator, cancelAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancelAllocator)
	timed, cancelTimed := context.WithTimeout(allocator, 3*time.Minute)
	t.Cleanup(cancelTimed)
	ctx, cancel := chromedp.NewContext(timed)
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx) // closes the browser and waits for it
		cancel()
	})
	do(t, ctx, chromedp.Navigate("about:blank"))
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, "file:") && !strings.HasPrefix(e.Request.URL, "about:") {
				t.Errorf("the page fetches %.80s", e.Request.URL)
			}
		case *runtime.EventExceptionThrown:
			t.Errorf("the script fails: %s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception.Description)
		case *page.EventJavascriptDialogOpening:
			t.Errorf("the page opens a dialog: %s", e.Message)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	do(t, ctx, chromedp.EmulateViewport(1280, 800))
	open(t, ctx, file)
	return ctx
}

// browserFolder makes the folder for all that a browser writes: left to itself, Chromium
// leaves folders behind. Its path is short, since Chromium makes a socket in it.
func browserFolder(t testing.TB) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "page")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Helpers of a browser that has ended may still write for a moment.
		err := os.RemoveAll(folder)
		for end := time.Now().Add(10 * time.Second); err != nil && time.Now().Before(end); err = os.RemoveAll(folder) {
			time.Sleep(20 * time.Millisecond)
		}
		if err != nil {
			t.Error(err)
		}
	})
	return folder
}

// open opens a file and waits until its script is ready, if it has one.
func open(t testing.TB, ctx context.Context, file string) {
	t.Helper()
	do(t, ctx, chromedp.Navigate("file://"+file))
	waitFor(t, ctx, `document.documentElement.dataset.ready === "true" || !document.querySelector("script[type=module]")`)
}

// waitFor waits until an expression is true.
func waitFor(t testing.TB, ctx context.Context, expression string) {
	t.Helper()
	for begun := time.Now(); !value[bool](t, ctx, expression); time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("it never is true that %s", expression)
		}
	}
}

// do runs actions of the browser.
func do(t testing.TB, ctx context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// value returns what an expression says in the page.
func value[T any](t testing.TB, ctx context.Context, expression string) T {
	t.Helper()
	result, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return result
}

// text returns the text of an element, on one line.
func text(t testing.TB, ctx context.Context, selector string) string {
	t.Helper()
	return strings.Join(strings.Fields(value[string](t, ctx, fmt.Sprintf("document.querySelector(%q).innerText", selector))), " ")
}

// press presses keys one after another.
func press(t testing.TB, ctx context.Context, keys ...string) {
	t.Helper()
	for _, key := range keys {
		do(t, ctx, chromedp.KeyEvent(key))
	}
}

// shot keeps a picture of the window under PAGE_OUT, to be looked at.
func shot(t testing.TB, ctx context.Context, name string) {
	t.Helper()
	dir := os.Getenv("PAGE_OUT")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}
