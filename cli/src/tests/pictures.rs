//! What the pictures of boards, steps and searches hold.

use nqueens::board::Size;
use nqueens::trace::{Position, Search, Step};
use roxmltree::Document;

use crate::draw::search;

/// The marks of a step's picture are what the masks say of the row: the legend has one of each kind besides.
#[test]
fn a_picture_of_a_step_tells_free_squares_from_those_that_were_tried() {
    for step in Search::new(Size::new(4).unwrap()).filter(|step| !step.position.is_full()) {
        let svg = search::still(&step.position, "a step");
        let document = Document::parse(&svg).unwrap();
        let marks = |class: &str| document.descendants().filter(|node| node.attribute("class") == Some(class)).count();
        let masks = step.position.masks;
        let free = masks.free.count_ones() as usize;
        let tried = 4 - free - masks.taken().count_ones() as usize;
        assert_eq!((marks("mark-free"), marks("mark-tried")), (free + 1, tried + 1), "step {}", step.number);
    }
}

/// In an animation every queen is shown in exactly the frames whose position has her.
#[test]
fn an_animated_search_shows_every_position_in_its_frame() {
    let size = Size::new(4).unwrap();
    let steps: Vec<Step> = Search::new(size).collect();
    let svg = search::film(&Position::empty(size), &steps, 0.5, "n = 4");
    let document = Document::parse(&svg).unwrap();
    let mut placements = 0;
    for node in document.descendants().filter(|node| node.has_tag_name("animate")) {
        let list = |name: &str| node.attribute(name).unwrap().split(';').map(str::to_owned).collect::<Vec<_>>();
        let (times, values) = (list("keyTimes"), list("values"));
        assert_eq!(times.len(), values.len());
        let times: Vec<f64> = times.iter().map(|time| time.parse().unwrap()).collect();
        assert!(times[0] == 0.0 && times.windows(2).all(|pair| pair[0] < pair[1]) && times[times.len() - 1] < 1.0);
        assert!(values.windows(2).all(|pair| pair[0] != pair[1]));
        let is_queen = node.parent().unwrap().children().any(|child| child.attribute("href") == Some("#queen"));
        if is_queen {
            placements += values.iter().filter(|value| *value == "1").count();
        }
    }
    // Each of the 16 queens placed appears once.
    assert_eq!(placements, 16);
}
