//! Decimals as plain texts: their order, and their digits behind the point.

use std::cmp::Ordering;

/// Of two known ends the outer one; one alone is taken.
pub fn extreme_decimal(
    left: Option<String>,
    right: &Option<String>,
    wanted: Ordering,
) -> Option<String> {
    let (Some(left), Some(right)) = (&left, right) else {
        return left.or_else(|| right.clone());
    };
    // Of one number in two spellings the same one in any order of merging.
    let order = compare_decimals(right, left).then_with(|| right.cmp(left));
    Some(if order == wanted { right } else { left }.clone())
}

/// Compares two plain decimal texts as numbers, whatever their scales.
pub fn compare_decimals(left: &str, right: &str) -> Ordering {
    let parts = |text: &str| -> (bool, String, String) {
        let (is_negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let whole = whole.trim_start_matches('0').to_owned();
        let fraction = fraction.trim_end_matches('0').to_owned();
        // Zero has no sign.
        (is_negative && !(whole.is_empty() && fraction.is_empty()), whole, fraction)
    };
    let (left, right) = (parts(left), parts(right));
    let magnitude = |(_, whole, fraction): &(bool, String, String)| {
        (whole.len(), whole.clone(), fraction.clone())
    };
    match (left.0, right.0) {
        (false, false) => magnitude(&left).cmp(&magnitude(&right)),
        (true, true) => magnitude(&right).cmp(&magnitude(&left)),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
    }
}

/// The text with `scale` digits behind the point at most. What is cut off moves the number `outward`: down for
/// [`Ordering::Less`], else up.
pub fn round_outward(text: &str, scale: u32, outward: Ordering) -> String {
    let Some((whole, fraction)) = text.split_once('.') else { return text.to_owned() };
    let kept = fraction.len().min(scale as usize);
    let (Some(kept), Some(cut)) = (fraction.get(..kept), fraction.get(kept..)) else {
        return text.to_owned();
    };
    if cut.is_empty() {
        return text.to_owned();
    }
    let is_negative = text.starts_with('-');
    let moves =
        cut.bytes().any(|digit| digit != b'0') && is_negative == (outward == Ordering::Less);
    let digits: Vec<u8> = whole.trim_start_matches('-').bytes().chain(kept.bytes()).collect();
    let digits = if moves { incremented(digits) } else { digits };
    // Zero has no sign.
    let is_zero = digits.iter().all(|digit| *digit == b'0');
    let (whole, kept) = digits.split_at(digits.len() - kept.len());
    let sign = if is_negative && !is_zero { "-" } else { "" };
    let point = if kept.is_empty() { "" } else { "." };
    let (whole, kept) = (String::from_utf8_lossy(whole), String::from_utf8_lossy(kept));
    let whole = if whole.is_empty() { "0" } else { &whole };
    format!("{sign}{whole}{point}{kept}")
}

/// The number plus one; all digits.
fn incremented(mut digits: Vec<u8>) -> Vec<u8> {
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return digits;
        }
        *digit = b'0';
    }
    digits.insert(0, b'1');
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_digits_move_bounds_outward() {
        let low = |text, scale| round_outward(text, scale, Ordering::Less);
        let high = |text, scale| round_outward(text, scale, Ordering::Greater);
        assert_eq!((low("1.29", 1), high("1.21", 1)), ("1.2".into(), "1.3".into()));
        assert_eq!((low("-1.21", 1), high("-1.29", 1)), ("-1.3".into(), "-1.2".into()));
        assert_eq!((low("9.99", 0), high("9.99", 0)), ("9".into(), "10".into()));
        assert_eq!((low("-9.99", 1), high("-0.99", 0)), ("-10.0".into(), "0".into()));
        assert_eq!(
            (high("1.200", 1), high("1.2", 5), high("12", 0)),
            ("1.2".into(), "1.2".into(), "12".into())
        );
        assert_eq!((high(".5", 0), low(".5", 0)), ("1".into(), "0".into()));
    }
}
