//! Keeps panics and errors inside a callback.
//!
//! DuckDB calls us through C frames. A panic that left one of them would abort the user's process, so
//! every callback body runs inside [`contain`], which turns a panic or an error into a message for
//! DuckDB's error slot. Delete callbacks have no such slot: what panics there is dropped silently.

use std::any::Any;
use std::ffi::{CString, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use colstats_core::error::{Error, Result};

/// Where DuckDB takes the error of a callback.
pub trait ErrorSink {
    /// Hands the message over; DuckDB copies it.
    fn set_error(&self, message: &CString);
}

/// Runs `body`; its error or panic is reported to `sink`.
pub fn contain(sink: &impl ErrorSink, body: impl FnOnce() -> Result<()>) {
    let error = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error,
        Err(payload) => panic_error(payload),
    };
    sink.set_error(&message(&error));
}

/// Runs `body` where no error can be reported.
pub fn contain_silently(body: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(body)) {
        discard(payload);
    }
}

/// The message as a C string; a NUL byte in it (a file name may hold one) is written out.
pub fn message(error: &Error) -> CString {
    CString::new(error.to_string().replace('\0', "\\0")).unwrap_or_default()
}

/// The delete callback for a `Box<T>` handed to DuckDB.
///
/// # Safety
/// * `pointer` is null or came from `Box::<T>::into_raw` and is not used again.
pub unsafe extern "C" fn drop_boxed<T>(pointer: *mut c_void) {
    if !pointer.is_null() {
        contain_silently(|| {
            // SAFETY: by the contract above this is the one owner of the box.
            drop(unsafe { Box::from_raw(pointer.cast::<T>()) });
        });
    }
}

fn panic_error(payload: Box<dyn Any + Send>) -> Error {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    discard(payload);
    Error::new(format!("colstats met a fault of its own and gave up this statement: {text}"))
}

/// Dropping a panic's payload may panic in turn; that one is given up on.
fn discard(payload: Box<dyn Any + Send>) {
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        let _never_dropped = std::mem::ManuallyDrop::new(second);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    struct Seen(RefCell<Option<CString>>);

    impl ErrorSink for Seen {
        fn set_error(&self, message: &CString) {
            self.0.replace(Some(message.clone()));
        }
    }

    fn reported(body: impl FnOnce() -> Result<()>) -> Option<String> {
        let sink = Seen(RefCell::new(None));
        contain(&sink, body);
        sink.0.into_inner().map(|text| text.into_string().unwrap())
    }

    #[test]
    fn errors_and_panics_become_messages() {
        assert_eq!(reported(|| Ok(())), None);
        assert_eq!(reported(|| Err(Error::new("no\0file"))), Some("no\\0file".into()));
        let text = reported(|| panic!("at {}", 7)).unwrap();
        assert!(text.contains("at 7"), "{text}");
    }

    #[test]
    fn a_panicking_drop_does_not_get_out() {
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                panic!("boom");
            }
        }
        // SAFETY: the pointer comes from Box::into_raw of the same type and is not used again.
        unsafe { drop_boxed::<Bomb>(Box::into_raw(Box::new(Bomb)).cast()) };
    }
}
